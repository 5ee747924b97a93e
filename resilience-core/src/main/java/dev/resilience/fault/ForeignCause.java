package dev.resilience.fault;

/**
 * Marks an exception whose cause is the failure of another call: it explains why this call was not made, and says nothing
 * about this call. So neither the cause nor what caused it is looked at when the exception, or one that wraps it, is
 * classified or matched against a policy's lists.
 */
public interface ForeignCause {}
