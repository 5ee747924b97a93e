package dev.resilience.spring;

import java.util.Map;

/** How the policies of a kind are configured: under which prefix, as which record, with which presets. */
public interface PolicyKind {

    /** The name in YAML and in the actuator, in kebab case: {@code circuit-breaker}. */
    String id();

    /** What a policy has where nothing is written. */
    Record defaultPolicy();

    /** What is configured. */
    default Class<? extends Record> policyType() {
        return defaultPolicy().getClass();
    }

    /** Where the policies of this kind are configured. */
    default String prefix() {
        return "resilience." + id();
    }

    /**
     * A function of the application that a policy names by its bean, for a value that bears the bean's name: {@code toString()}
     * is what the actuator and the log show. Predicates have it already.
     *
     * @param type of the policy's component, an interface with {@link FunctionalInterface}
     */
    default Object named(Class<?> type, String bean, Object function) {
        return function;
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
