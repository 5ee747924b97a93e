package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.event.CircuitState;
import dev.resilience.time.Moment;
import org.jspecify.annotations.Nullable;

/** Calls pass, and nothing is counted. */
final class DisabledState extends State implements Permit {

    DisabledState(CircuitBreaker breaker, Settings settings, @Nullable Opening last, Moment since) {
        super(breaker, settings, last, since);
    }

    @Override
    CircuitState name() {
        return CircuitState.DISABLED;
    }

    @Override
    Permit tryAdmit() {
        return this;
    }

    @Override
    State under(Settings other) {
        return new DisabledState(breaker, other, opening, since);
    }

    @Override
    public Settings settings() {
        return settings;
    }

    @Override
    public void succeeded(long nanos) {}

    @Override
    public void failed(long nanos, @Nullable Throwable failure) {}

    @Override
    public void ignored() {}
}
