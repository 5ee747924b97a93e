package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitState;

/** Calls pass, and nothing is counted. */
final class DisabledState extends State implements Permit {

    DisabledState(CircuitBreaker breaker, Settings settings) {
        super(breaker, settings);
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
        return new DisabledState(breaker, other);
    }

    @Override
    public Settings settings() {
        return settings;
    }

    @Override
    public void succeeded(long nanos) {}

    @Override
    public void failed(long nanos) {}

    @Override
    public void ignored() {}
}
