package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Calls are refused until an operator says otherwise. */
final class ForcedOpenState extends State {

    ForcedOpenState(CircuitBreaker breaker, Settings settings) {
        super(breaker, settings);
    }

    @Override
    CircuitState name() {
        return CircuitState.FORCED_OPEN;
    }

    @Override
    @Nullable
    Permit tryAdmit() {
        return null;
    }

    @Override
    State under(Settings other) {
        return new ForcedOpenState(breaker, other);
    }

    /** Nobody knows; an open period is as good a time as any to ask again. */
    @Override
    Duration retryAfter() {
        return settings.policy().openDuration();
    }
}
