package dev.resilience.spring;

/** The kinds of policies that are configured by name. */
public enum PolicyKind {
    RETRY("retry"),
    CIRCUIT_BREAKER("circuit-breaker"),
    BULKHEAD("bulkhead"),
    TIME_LIMIT("time-limit"),
    IDEMPOTENCY("idempotency"),
    RETRY_BUDGET("retry-budget");

    private final String id;

    PolicyKind(String id) {
        this.id = id;
    }

    /** The name in YAML and in the actuator. */
    public String id() {
        return id;
    }

    /** Where the policies of this kind are configured. */
    public String prefix() {
        return "resilience." + id;
    }
}
