package dev.resilience.policy;

import org.jspecify.annotations.Nullable;

/** A policy was given a value that it cannot have. Names the key as it is written in YAML, the value and the cure. */
public final class InvalidPolicyException extends IllegalArgumentException {

    private final String key;
    private final @Nullable Object value;
    private final String requirement;

    /**
     * @param key the key inside the policy, as in YAML: {@code backoff.base-delay}
     * @param value the value that was refused
     * @param requirement what the key needs, as the end of a sentence: {@code must be at least 1}
     */
    public InvalidPolicyException(String key, @Nullable Object value, String requirement) {
        super(key + " = " + value + ": " + requirement);
        this.key = key;
        this.value = value;
        this.requirement = requirement;
    }

    /** The key inside the policy, as in YAML. */
    public String key() {
        return key;
    }

    /** The value that was refused. */
    public @Nullable Object value() {
        return value;
    }

    /** What the key needs. */
    public String requirement() {
        return requirement;
    }
}
