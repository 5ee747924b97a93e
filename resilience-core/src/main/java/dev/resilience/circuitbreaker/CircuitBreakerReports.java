package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.ClosedState.Ramp;
import dev.resilience.circuitbreaker.Outage.Rule;
import dev.resilience.circuitbreaker.State.OpenState;
import dev.resilience.event.CallRejected;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Reports;
import dev.resilience.time.Durations;
import dev.resilience.time.Timestamps;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** What a circuit breaker reports to the log and the listeners. Safe for use by many threads. */
final class CircuitBreakerReports extends Reports<CircuitBreakerOutcome> {

    private static final Logger logger = LoggerFactory.getLogger(CircuitBreaker.class);
    private static final LogLine REJECTED = LogLine.warn("circuit_rejected", "rejected");
    private static final LogLine OPENED = LogLine.warn("circuit_opened", "changes");
    private static final LogLine HALF_OPEN = LogLine.info("circuit_half_open", "changes");
    private static final LogLine CLOSED = LogLine.info("circuit_closed", "changes");
    private static final LogLine DISABLED = LogLine.warn("circuit_disabled", "changes");
    private static final LogLine METRICS_ONLY = LogLine.warn("circuit_metrics_only", "changes");

    private static final String KIND = "Circuit breaker";
    private static final String UNTIL_OPERATED = " until an operator or the application says otherwise";

    private final LongAdder changes;

    /** By itself, so that no storm of refused calls folds what happens once in each of its open periods. */
    private final FoldedLog states;

    CircuitBreakerReports(String name, Environment environment, OutcomeCounters<CircuitBreakerOutcome> calls) {
        super(CircuitBreaker.class, KIND, "circuit_summary", name, environment, calls);
        this.changes = new LongAdder();
        this.states = new FoldedLog(
                logger, time, KIND, name, "circuit_state_summary", () -> Map.of("changes", changes.sum()));
    }

    CircuitBreakerReports(String part, boolean isLogged, CircuitBreakerReports ofAll) {
        super(part, isLogged, ofAll);
        this.changes = ofAll.changes;
        this.states = ofAll.states;
    }

    /**
     * A move from one state to another, or to the same one that begins anew by hand.
     *
     * @param byHand whether an operator or the application made it, and neither a call nor time nor a new policy
     */
    record StateChange(State before, State after, boolean byHand) {

        CircuitState from() {
            return before.name;
        }

        CircuitState to() {
            return after.name;
        }

        boolean isTransition() {
            return from() != to();
        }

        /** That an open period or a probing begins anew is reported too, because there is another next probe. */
        boolean isReported() {
            boolean begins = to() == CircuitState.OPEN || to() == CircuitState.HALF_OPEN;
            return isTransition() || (byHand && begins);
        }

        private String reason() {
            Outage outage = after.outage;
            return switch (to()) {
                case OPEN, FORCED_OPEN -> outage == null ? "" : outage.reason();
                case HALF_OPEN ->
                    before instanceof OpenState open && !byHand
                            ? "the open period of " + Durations.inWords(open.openDuration()) + " is over"
                            : Rule.HALF_OPENED_BY_HAND;
                case CLOSED -> byHand ? "closed by hand" : succeeded();
                case DISABLED -> "disabled by hand";
                case METRICS_ONLY -> "set to metrics-only by hand";
            };
        }

        private String succeeded() {
            int successes = before.settings.policy().halfOpen().successThreshold();
            return successes == 1 ? "a probe succeeded" : successes + " probes succeeded";
        }
    }

    void changed(StateChange change) {
        try {
            log(change);
        } catch (Throwable broken) { // a logger, which must not hurt a call
        }
        publish(() -> event(change));
    }

    private CircuitStateChanged event(StateChange change) {
        State after = change.after();
        Outage outage = after.isOpen() ? after.outage : null;
        return new CircuitStateChanged(
                after.since.wallTime(),
                nameInEvents,
                change.from(),
                change.to(),
                change.reason(),
                outage == null ? null : outage.lastFailure(),
                outage == null ? 0 : outage.failedProbes(),
                after instanceof OpenState open ? open.wallTimeIn(open.untilNextProbe()) : null);
    }

    private void log(StateChange change) {
        switch (change.to()) {
            case OPEN -> write(OPENED, change, line -> logOpened(line, change));
            case FORCED_OPEN ->
                write(
                        OPENED,
                        change,
                        "is forced open: " + change.reason() + "; all calls are refused" + UNTIL_OPERATED);
            case HALF_OPEN -> {
                HalfOpen policy = change.after().settings.policy().halfOpen();
                String probes = policy.successThreshold() + ", probes at a time: " + policy.maxConcurrent();
                write(HALF_OPEN, change, "is half-open: " + change.reason() + "; successes that close it: " + probes);
            }
            case CLOSED -> {
                long refused = change.after().breaker.refused(); // now, for the line may come later
                Ramp ramp = ((ClosedState) change.after()).ramp();
                write(CLOSED, change, line -> logClosed(line, change, refused, ramp));
            }
            case DISABLED ->
                write(DISABLED, change, "is disabled: all calls pass and nothing is counted" + UNTIL_OPERATED);
            case METRICS_ONLY -> {
                String what = "only counts: all calls pass, however many of them fail,";
                write(METRICS_ONLY, change, what + UNTIL_OPERATED);
            }
        }
    }

    private void write(LogLine event, StateChange change, String what) {
        write(event, change, line -> log(line, what));
    }

    private void write(LogLine event, StateChange change, Consumer<LoggingEventBuilder> what) {
        Consumer<LoggingEventBuilder> all =
                line -> what.accept(line.addKeyValue("from", change.from()).addKeyValue("reason", change.reason()));
        if (change.byHand()) {
            all.accept(event.in(logger, name));
        } else {
            changes.increment();
            states.write(event, all);
        }
    }

    private void logOpened(LoggingEventBuilder line, StateChange change) {
        OpenState open = (OpenState) change.after();
        Outage outage = open.present();
        String openFor = Durations.inWords(open.openDuration());
        String nextProbe = Timestamps.text(open.wallTimeIn(open.untilNextProbe()));
        if (outage.lastFailure() != null) {
            line = line.addKeyValue("lastFailure", outage.lastFailure());
        }
        line = line.addKeyValue("openFor", open.openDuration())
                .addKeyValue("failedProbes", outage.failedProbes())
                .addKeyValue("nextProbe", nextProbe);
        double enforced = open.settings.policy().enforce();
        String share = enforced < 1 ? "(enforce is " + enforced + ") " : "";
        log(
                line,
                "opened: " + outage.inFull() + "; calls are refused " + share + "for " + openFor + ", until "
                        + nextProbe);
    }

    private void logClosed(LoggingEventBuilder line, StateChange change, long refusedInAll, @Nullable Ramp ramp) {
        String what = "closed: " + change.reason();
        Outage outage = change.before().outage;
        if (outage == null || !change.before().isOpen()) {
            log(line, what);
            return;
        }
        Duration wasOpenFor = outage.start().at().until(change.after().since);
        long refused = refusedInAll - outage.start().refusedBefore();
        what += "; it was open for " + Durations.inWords(wasOpenFor) + " and refused " + Rule.calls(refused);
        if (ramp != null) {
            line = line.addKeyValue("ramp", ramp.duration());
            what += "; its load comes back over " + Durations.inWords(ramp.duration());
        }
        log(line.addKeyValue("wasOpenFor", wasOpenFor).addKeyValue("refused", refused), what);
    }

    private void log(LoggingEventBuilder line, String what) {
        line.log("Circuit breaker '{}' {}", name, what);
    }

    /** Returns what the caller gets. */
    CircuitOpenException refused(CircuitOpenException refusal) {
        publish(() ->
                new CallRejected(time.now(), "circuit-breaker", nameInEvents, CircuitBreakerOutcome.REJECTED.label()));
        log.write(
                REJECTED,
                line -> line.addKeyValue("retryAfterMs", refusal.retryAfter().toMillis())
                        .log("A call was not made. {}", refusal.getMessage()));
        return refusal;
    }

    @Override
    public void close() {
        super.close();
        states.close();
    }
}
