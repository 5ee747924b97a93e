package dev.resilience.policy;

import org.jspecify.annotations.Nullable;

/** A policy was given a value that it cannot have. Names the key as it is written in YAML, the value and the cure. */
public final class InvalidPolicyException extends IllegalArgumentException {

    private final String key;
    private final @Nullable Object value;
    private final String requirement;
    private final @Nullable String otherKey;
    private final @Nullable Object otherValue;

    /**
     * @param key the key inside the policy, as in YAML: {@code backoff.base-delay}
     * @param value the value that was refused
     * @param requirement what the key needs, as the end of a sentence: {@code must be at least 1}
     */
    public InvalidPolicyException(String key, @Nullable Object value, String requirement) {
        this(key, value, requirement, null, null);
    }

    /**
     * @param key the key inside the policy, as in YAML: {@code backoff.max-delay}
     * @param value the value that was refused
     * @param requirement what the key needs, as the end of a sentence: {@code must be at least 1}
     * @param otherKey the key whose value the refused one does not go with: {@code backoff.base-delay}
     * @param otherValue the value of that key
     */
    public InvalidPolicyException(
            String key,
            @Nullable Object value,
            String requirement,
            @Nullable String otherKey,
            @Nullable Object otherValue) {
        super(key + " = " + value + ": " + requirement);
        this.key = key;
        this.value = value;
        this.requirement = requirement;
        this.otherKey = otherKey;
        this.otherValue = otherValue;
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

    /** The key whose value the refused one does not go with, or {@code null} if the value is wrong in itself. */
    public @Nullable String otherKey() {
        return otherKey;
    }

    /** The value of {@link #otherKey()}. */
    public @Nullable Object otherValue() {
        return otherValue;
    }
}
