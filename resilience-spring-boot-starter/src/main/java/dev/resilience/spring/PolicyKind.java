package dev.resilience.spring;

import java.util.List;
import java.util.Map;

/** A kind of policies that are configured by name: where they are written, and what is made of it. */
public interface PolicyKind {

    /** The name in YAML and in the actuator, in kebab case: {@code circuit-breaker}. */
    String id();

    /** What a policy has where nothing is written. */
    Record defaultPolicy();

    /** What is configured. */
    default Class<? extends Record> policyType() {
        return defaultPolicy().getClass();
    }

    /**
     * Keys of policies beside those of their record, for texts that only the kind understands: expressions, names of beans.
     * They are inherited as the others are.
     */
    default List<String> furtherKeys() {
        return List.of();
    }

    /** Where the policies of this kind are configured. */
    default String prefix() {
        return "resilience." + id();
    }

    /** Whether {@code enabled: false} lets the methods that use a policy go without it. */
    default boolean canBeSwitchedOff() {
        return true;
    }

    /** What policies of this kind may start from without being written: values by key, by the name of the preset. */
    default Map<String, Map<String, String>> presets() {
        return Map.of();
    }
}
