package dev.resilience.spring.autoconfigure;

import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/**
 * Retry policies to start from, by {@code extends}. They are written in the same keys as in YAML, and bound in the same
 * way; what they leave out has the library's defaults, whatever the application's own {@code default} says.
 */
final class RetryPresets {

    /** What the keys of a preset begin with. */
    static final String PREFIX = "preset";

    private static final Map<String, Map<String, String>> PRESETS = Map.of(
            "interactive", preset(3, "100ms", "3s", "proportional", "0.2"),
            "standard", preset(5, "1s", "30s", "proportional", "0.3"),
            "batch", preset(10, "5s", "5m", "proportional", "0.5"),
            "external-api", preset(4, "1s", "30s", "full", "0.5"),
            "database", preset(6, "500ms", "10s", "equal", "0.5"),
            "message-queue", preset(11, "1s", "60s", "decorrelated", "0.5"));

    private static final Map<String, ConfigurationPropertySource> SOURCES = PRESETS.entrySet().stream()
            .collect(Collectors.toUnmodifiableMap(
                    Map.Entry::getKey, preset -> new MapConfigurationPropertySource(preset.getValue())));

    private RetryPresets() {}

    static Map<String, ConfigurationPropertySource> sources() {
        return SOURCES;
    }

    private static Map<String, String> preset(
            int maxAttempts, String baseDelay, String maxDelay, String jitter, String jitterFactor) {
        return Map.of(
                PREFIX + ".max-attempts", String.valueOf(maxAttempts),
                PREFIX + ".backoff.base-delay", baseDelay,
                PREFIX + ".backoff.max-delay", maxDelay,
                PREFIX + ".backoff.jitter", jitter,
                PREFIX + ".backoff.jitter-factor", jitterFactor);
    }
}
