package dev.resilience.fault;

/** Marks an exception of the application's own as {@link Fault#TRANSIENT}. */
public interface TransientFault {}
