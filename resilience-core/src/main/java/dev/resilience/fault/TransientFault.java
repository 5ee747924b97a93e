package dev.resilience.fault;

/**
 * Marks an exception of the application's own as {@link Fault#TRANSIENT}, whatever it extends: it may even be an {@link
 * Error}.
 */
public interface TransientFault {}
