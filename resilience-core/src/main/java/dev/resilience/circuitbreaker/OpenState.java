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
    private final long openedAt;
    private final long openNanos;

    OpenState(CircuitBreaker breaker, int failedProbings) {
        this.breaker = breaker;
        this.failedProbings = failedProbings;
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
        if (remainingNanos() > 0) {
            return null;
        }
        HalfOpenState halfOpen = new HalfOpenState(breaker, failedProbings);
        return breaker.move(this, halfOpen)
                ? halfOpen.tryAdmit()
                : breaker.state().tryAdmit();
    }

    @Override
    Duration retryAfter() {
        return Durations.max(SHORTEST_HINT, Duration.ofNanos(remainingNanos()));
    }

    private long remainingNanos() {
        return openNanos - (breaker.time().nanoTime() - openedAt);
    }
}
