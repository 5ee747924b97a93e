package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitState;
import dev.resilience.time.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Calls are refused until the open period is over; the first call after that moves the breaker to half-open. */
final class OpenState extends State {

    private static final Duration SHORTEST_HINT = Duration.ofMillis(1);

    private final int failedProbings;
    private final double failureRate;
    private final long openedAt;
    private final long openNanos;

    /**
     * @param failedProbings how often in a row the breaker went from half-open back to open
     * @param failureRate the rate in the window when it opened, NaN if there were too few calls to tell
     */
    OpenState(CircuitBreaker breaker, Settings settings, int failedProbings, double failureRate) {
        this(breaker, settings, failedProbings, failureRate, breaker.time().nanoTime());
    }

    private OpenState(
            CircuitBreaker breaker, Settings settings, int failedProbings, double failureRate, long openedAt) {
        super(breaker, settings);
        this.failedProbings = failedProbings;
        this.failureRate = failureRate;
        this.openedAt = openedAt;
        this.openNanos = Durations.toNanos(settings.policy().openDuration(failedProbings));
    }

    @Override
    CircuitState name() {
        return CircuitState.OPEN;
    }

    @Override
    @Nullable
    Permit tryAdmit() {
        if (remainingNanos() <= 0) {
            breaker.move(this, new HalfOpenState(breaker, settings, failedProbings, failureRate));
        }
        return null;
    }

    @Override
    State under(Settings other) {
        return new OpenState(breaker, other, failedProbings, failureRate, openedAt);
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
