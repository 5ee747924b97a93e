package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitState;

/** Calls pass, and nothing is counted. */
final class DisabledState extends State implements Permit {

    @Override
    CircuitState name() {
        return CircuitState.DISABLED;
    }

    @Override
    Permit tryAdmit() {
        return this;
    }

    @Override
    public void succeeded(long nanos) {}

    @Override
    public void failed(long nanos) {}

    @Override
    public void ignored() {}
}
