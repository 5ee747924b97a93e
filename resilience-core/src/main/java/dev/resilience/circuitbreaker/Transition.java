package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A move that was made from one state to another, as the log and the listeners are told of it.
 *
 * @param byHand whether an operator or the application made it, and neither a call nor time
 */
record Transition(State before, State after, boolean byHand) {

    private static final Logger log = LoggerFactory.getLogger(CircuitBreaker.class);

    CircuitState from() {
        return before.name();
    }

    CircuitState to() {
        return after.name();
    }

    /** The first one of a breaker is 1. */
    long number() {
        return after.transitions;
    }

    CircuitStateChanged event() {
        Opening opening = after.opening;
        boolean open = opening != null && isOpen(to());
        return new CircuitStateChanged(
                after.since.wallTime(),
                name(),
                from(),
                to(),
                reason(),
                opening != null && open ? opening.lastFailure() : null,
                opening != null && open ? opening.failedProbings() : 0,
                after.nextProbe());
    }

    void log() {
        switch (to()) {
            case OPEN -> logOpened();
            case FORCED_OPEN ->
                line(log.atWarn(), "circuit_opened")
                        .addKeyValue("reason", reason())
                        .log(
                                "Circuit breaker '{}' is forced open: {}; all calls are refused until it is told otherwise",
                                name(),
                                reason());
            case HALF_OPEN -> logHalfOpen();
            case CLOSED -> logClosed();
            case DISABLED ->
                line(log.atWarn(), "circuit_disabled")
                        .log(
                                "Circuit breaker '{}' is disabled: all calls pass and nothing is counted until it is told "
                                        + "otherwise",
                                name());
        }
    }

    private void logOpened() {
        Opening opening = after.opening;
        if (opening == null || !(after instanceof OpenState open)) {
            return;
        }
        LoggingEventBuilder line = line(log.atWarn(), "circuit_opened").addKeyValue("reason", opening.reason());
        if (opening.lastFailure() != null) {
            line = line.addKeyValue("lastFailure", opening.lastFailure());
        }
        line.addKeyValue("openFor", open.openDuration())
                .addKeyValue("failedProbes", opening.failedProbings())
                .addKeyValue("nextProbe", open.nextProbe().truncatedTo(ChronoUnit.MILLIS))
                .log(
                        "Circuit breaker '{}' opened: {}; calls are refused for {}, until {}",
                        name(),
                        opening.explanation(),
                        Durations.inWords(open.openDuration()),
                        open.nextProbe().truncatedTo(ChronoUnit.MILLIS));
    }

    private void logHalfOpen() {
        CircuitBreakerPolicy.HalfOpen policy = after.settings.policy().halfOpen();
        line(log.atInfo(), "circuit_half_open")
                .addKeyValue("reason", reason())
                .log(
                        "Circuit breaker '{}' is half-open: {}; successes that close it: {}, probes at a time: {}",
                        name(),
                        reason(),
                        policy.successThreshold(),
                        policy.maxConcurrent());
    }

    private void logClosed() {
        LoggingEventBuilder line = line(log.atInfo(), "circuit_closed").addKeyValue("reason", reason());
        Opening opening = before.opening;
        if (opening == null || !isOpen(from())) {
            line.log("Circuit breaker '{}' closed: {}", name(), reason());
            return;
        }
        Duration wasOpenFor = opening.at().until(after.since);
        long refused = after.breaker.refused() - opening.refusedBefore();
        line.addKeyValue("wasOpenFor", wasOpenFor)
                .addKeyValue("refused", refused)
                .log(
                        "Circuit breaker '{}' closed: {}; it was open for {} and refused {}",
                        name(),
                        reason(),
                        Durations.inWords(wasOpenFor),
                        refused == 1 ? "1 call" : refused + " calls");
    }

    private LoggingEventBuilder line(LoggingEventBuilder line, String event) {
        return line.addKeyValue("event", event).addKeyValue("policy", name()).addKeyValue("from", from());
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
            default -> OpeningRule.HALF_OPENED_BY_HAND;
        };
    }

    private static boolean isOpen(CircuitState state) {
        return state != CircuitState.CLOSED && state != CircuitState.DISABLED;
    }
}
