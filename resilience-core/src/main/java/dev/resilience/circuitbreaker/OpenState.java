package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitState;
import dev.resilience.time.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Calls are refused until the open period is over; the first call after that moves the breaker to half-open. */
final class OpenState extends State {

    private static final Duration SHORTEST_HINT = Duration.ofMillis(1);

    private final CircuitBreaker breaker;
    private final int failedProbings;
    private final double failureRate;
    private final long openedAt;
    private final long openNanos;

    /**
     * @param failedProbings how often in a row the breaker went from half-open back to open
     * @param failureRate the rate in the window when it opened, NaN if there were too few calls to tell
     */
    OpenState(CircuitBreaker breaker, int failedProbings, double failureRate) {
        this.breaker = breaker;
        this.failedProbings = failedProbings;
        this.failureRate = failureRate;
        this.openedAt = breaker.time().nanoTime();
        this.openNanos = Durations.toNanos(breaker.policy().openDuration(failedProbings));
    }

    @Override
    CircuitState name() {
        return CircuitState.OPEN;
    }

    @Override
    @Nullable
    Permit tryAdmit() {
        if (remainingNanos() <= 0) {
            breaker.move(this, new HalfOpenState(breaker, failedProbings, failureRate));
        }
        return null;
    }

    @Override
    double failureRate() {
        return failureRate;
    }

    @Override
    Duration retryAfter() {
        return Durations.max(SHORTEST_HINT, Duration.ofNanos(remainingNanos()));
    }

    private long remainingNanos() {
        return openNanos - (breaker.time().nanoTime() - openedAt);
    }
}
