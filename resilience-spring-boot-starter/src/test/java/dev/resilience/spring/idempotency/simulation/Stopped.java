package dev.resilience.spring.idempotency.simulation;

/** The run is over, or the machine of the task has crashed: its thread unwinds, and has no effect on its way. */
final class Stopped extends Error {

    private static final long serialVersionUID = 1;

    Stopped() {
        super("stopped", null, false, false);
    }
}
