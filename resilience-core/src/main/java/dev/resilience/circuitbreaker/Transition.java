package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.Opening.Rule;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.log.LogLine;
import dev.resilience.time.Durations;
import dev.resilience.time.Timestamps;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A move that was made from one state to another, or to the same one begun anew by hand, as the log and the listeners are
 * told of it.
 *
 * @param byHand whether an operator or the application made it, and neither a call nor time
 */
record Transition(State before, State after, boolean byHand) {

    private static final Logger log = LoggerFactory.getLogger(CircuitBreaker.class);

    private static final LogLine OPENED = LogLine.warn("circuit_opened");
    private static final LogLine HALF_OPEN = LogLine.info("circuit_half_open");
    private static final LogLine CLOSED = LogLine.info("circuit_closed");
    private static final LogLine DISABLED = LogLine.warn("circuit_disabled");
    private static final LogLine METRICS_ONLY = LogLine.warn("circuit_metrics_only");

    CircuitState from() {
        return before.name();
    }

    CircuitState to() {
        return after.name();
    }

    /** The first one of a breaker is 1. */
    long number() {
        return after.announcements;
    }

    CircuitStateChanged event() {
        Opening opening = after.opening;
        boolean open = opening != null && after.isOpen();
        return new CircuitStateChanged(
                after.since.wallTime(),
                name(),
                from(),
                to(),
                reason(),
                opening != null && open ? opening.lastFailure() : null,
                opening != null && open ? opening.failedProbings() : 0,
                nextProbe());
    }

    private @Nullable Instant nextProbe() {
        Duration wait = after.untilNextProbe();
        return wait == null ? null : after.wallTimeIn(wait);
    }

    void log() {
        switch (to()) {
            case OPEN -> logOpened();
            case FORCED_OPEN ->
                line(OPENED)
                        .addKeyValue("reason", reason())
                        .log(
                                "Circuit breaker '{}' is forced open: {}; all calls are refused until it is told otherwise",
                                name(),
                                reason());
            case HALF_OPEN -> logHalfOpen();
            case CLOSED -> logClosed();
            case DISABLED ->
                line(DISABLED)
                        .log(
                                "Circuit breaker '{}' is disabled: all calls pass and nothing is counted until it is told "
                                        + "otherwise",
                                name());
            case METRICS_ONLY ->
                line(METRICS_ONLY)
                        .log(
                                "Circuit breaker '{}' only counts: all calls pass, however many of them fail, until it is "
                                        + "told otherwise",
                                name());
        }
    }

    private void logOpened() {
        Opening opening = after.opening;
        if (opening == null || !(after instanceof OpenState open)) {
            return;
        }
        String nextProbe = Timestamps.text(after.wallTimeIn(open.untilNextProbe()));
        LoggingEventBuilder line = line(OPENED).addKeyValue("reason", opening.reason());
        if (opening.lastFailure() != null) {
            line = line.addKeyValue("lastFailure", opening.lastFailure());
        }
        line.addKeyValue("openFor", open.openDuration())
                .addKeyValue("failedProbes", opening.failedProbings())
                .addKeyValue("nextProbe", nextProbe)
                .log(
                        "Circuit breaker '{}' opened: {}; calls are refused for {}, until {}",
                        name(),
                        opening.explanation(),
                        Durations.inWords(open.openDuration()),
                        nextProbe);
    }

    private void logHalfOpen() {
        CircuitBreakerPolicy.HalfOpen policy = after.settings.policy().halfOpen();
        line(HALF_OPEN)
                .addKeyValue("reason", reason())
                .log(
                        "Circuit breaker '{}' is half-open: {}; successes that close it: {}, probes at a time: {}",
                        name(),
                        reason(),
                        policy.successThreshold(),
                        policy.maxConcurrent());
    }

    private void logClosed() {
        LoggingEventBuilder line = line(CLOSED).addKeyValue("reason", reason());
        Opening opening = before.opening;
        if (opening == null || !before.isOpen()) {
            line.log("Circuit breaker '{}' closed: {}", name(), reason());
            return;
        }
        Duration wasOpenFor = opening.at().until(after.since);
        long refused = after.breaker.refused() - opening.refusedBefore();
        Ramp ramp = after.ramp();
        if (ramp != null) {
            line = line.addKeyValue("ramp", ramp.duration());
        }
        line.addKeyValue("wasOpenFor", wasOpenFor)
                .addKeyValue("refused", refused)
                .log(
                        "Circuit breaker '{}' closed: {}; it was open for {} and refused {}{}",
                        name(),
                        reason(),
                        Durations.inWords(wasOpenFor),
                        refused == 1 ? "1 call" : refused + " calls",
                        ramp == null ? "" : "; its load comes back over " + Durations.inWords(ramp.duration()));
    }

    private LoggingEventBuilder line(LogLine line) {
        return line.in(log, name()).addKeyValue("from", from());
    }

    private String name() {
        return after.breaker.name();
    }

    private String reason() {
        Opening opening = after.opening;
        if (opening != null && (to() == CircuitState.OPEN || to() == CircuitState.FORCED_OPEN)) {
            return opening.reason();
        }
        if (to() == CircuitState.HALF_OPEN && before instanceof OpenState open && !byHand) {
            return "the open period of " + Durations.inWords(open.openDuration()) + " is over";
        }
        if (to() == CircuitState.CLOSED && !byHand) {
            int successes = before.settings.policy().halfOpen().successThreshold();
            return successes == 1 ? "a probe succeeded" : successes + " probes succeeded";
        }
        return switch (to()) {
            case CLOSED -> "closed by hand";
            case DISABLED -> "disabled by hand";
            case METRICS_ONLY -> "set to metrics-only by hand";
            default -> Rule.HALF_OPENED_BY_HAND;
        };
    }
}
