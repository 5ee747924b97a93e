package dev.resilience.spring.retry;

import java.util.Map;

/**
 * Retry policies to start from, by {@code extends}. They are written in the same keys as in YAML, and bound in the same
 * way; what they leave out has the library's defaults, whatever the application's own {@code default} says.
 */
final class RetryPresets {

    static final Map<String, Map<String, String>> ALL = Map.of(
            "interactive", preset(3, "100ms", "3s", "proportional", "0.2"),
            "standard", preset(5, "1s", "30s", "proportional", "0.3"),
            "batch", preset(10, "5s", "5m", "proportional", "0.5"),
            "external-api", preset(4, "1s", "30s", "full", "0.5"),
            "database", preset(6, "500ms", "10s", "equal", "0.5"),
            "message-queue", preset(11, "1s", "60s", "decorrelated", "0.5"));

    private RetryPresets() {}

    private static Map<String, String> preset(
            int maxAttempts, String baseDelay, String maxDelay, String jitter, String jitterFactor) {
        return Map.of(
                "max-attempts", String.valueOf(maxAttempts),
                "backoff.base-delay", baseDelay,
                "backoff.max-delay", maxDelay,
                "backoff.jitter", jitter,
                "backoff.jitter-factor", jitterFactor);
    }
}
