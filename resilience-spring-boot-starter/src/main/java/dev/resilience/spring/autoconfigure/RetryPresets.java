package dev.resilience.spring.autoconfigure;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Retry policies to start from, by {@code extends}. They are written in the same keys as in YAML, and bound in the same
 * way; what they leave out has the library's defaults, whatever the application's own {@code default} says.
 */
final class RetryPresets {

    private static final Map<String, Map<ConfigurationPropertyName, String>> PRESETS = Map.of(
            "interactive", preset(3, "100ms", "3s", "proportional", "0.2"),
            "standard", preset(5, "1s", "30s", "proportional", "0.3"),
            "batch", preset(10, "5s", "5m", "proportional", "0.5"),
            "external-api", preset(4, "1s", "30s", "full", "0.5"),
            "database", preset(6, "500ms", "10s", "equal", "0.5"),
            "message-queue", preset(11, "1s", "60s", "decorrelated", "0.5"));

    private RetryPresets() {}

    static Set<String> names() {
        return PRESETS.keySet();
    }

    /** The values of a preset by key, or {@code null} if there is none of that name. */
    static @Nullable Map<ConfigurationPropertyName, String> find(String name) {
        return PRESETS.get(name);
    }

    private static Map<ConfigurationPropertyName, String> preset(
            int maxAttempts, String baseDelay, String maxDelay, String jitter, String jitterFactor) {
        return Map.of(
                ConfigurationPropertyName.of("max-attempts"), String.valueOf(maxAttempts),
                ConfigurationPropertyName.of("backoff.base-delay"), baseDelay,
                ConfigurationPropertyName.of("backoff.max-delay"), maxDelay,
                ConfigurationPropertyName.of("backoff.jitter"), jitter,
                ConfigurationPropertyName.of("backoff.jitter-factor"), jitterFactor);
    }
}
