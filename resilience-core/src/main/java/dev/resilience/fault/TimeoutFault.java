package dev.resilience.fault;

/**
 * Marks an exception of who ends calls that take too long by an interrupt: an interrupt among its causes was the
 * timeout's own, and does not say that a caller wants the work to end.
 */
public interface TimeoutFault extends TransientFault {}
