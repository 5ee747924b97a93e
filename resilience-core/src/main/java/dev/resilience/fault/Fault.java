package dev.resilience.fault;

/** The kind of failure that an exception reports, and so whether the same call may succeed a moment later. */
public enum Fault {

    /** Likely to pass: the same call may succeed soon. Retried; counted by circuit breakers. */
    TRANSIENT,

    /** The same call will fail again. Not retried; circuit breakers do not count it, because the callee is well. */
    PERMANENT,

    /** Nothing is known. Not retried; counted by circuit breakers. */
    UNKNOWN
}
