package dev.resilience.event;

import java.util.Locale;

/** The states of a circuit breaker, in the order of the numbers that the state gauge shows. */
public enum CircuitState {
    /** Calls pass and are counted. */
    CLOSED,
    /** Calls are refused until the open period is over. */
    OPEN,
    /** A few calls pass, to find out whether the callee is back. */
    HALF_OPEN,
    /** Calls are refused until an operator says otherwise. */
    FORCED_OPEN,
    /** Calls pass, and nothing is counted. */
    DISABLED,
    /** Calls pass and are counted, however many of them fail. */
    METRICS_ONLY;

    /** The name in metrics and events: lower case with underscores. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
