package dev.resilience.spring.properties.unknown;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a policy of Resilience4j has although nothing is written: added to its keys where this library does otherwise. Needs the
 * JDK alone, because the converter runs without Spring.
 */
final class Resilience4jDefaults {

    private static final Pattern DURATION = Pattern.compile("(\\d+)(ms|s|m|h|d)?");
    private static final Map<String, Long> MILLIS =
            Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

    private Resilience4jDefaults() {}

    /**
     * Writes out what is different by default, and what a value needs beside it.
     *
     * @param starts whether the policy starts from nothing else
     */
    static void complete(String kind, Map<String, String> keys, boolean starts) {
        switch (kind) {
            case "retry" -> completeRetry(keys, starts);
            case "circuit-breaker" -> completeBreaker(keys, starts);
            case "bulkhead" -> {
                if (starts && "thread-pool".equals(keys.get("type"))) {
                    keys.putIfAbsent("max-queue", "100");
                } else if (starts) {
                    keys.putIfAbsent("max-concurrent", "25");
                    if (!keys.containsKey("queue-timeout")) {
                        keys.putIfAbsent("max-queue", "0");
                    }
                }
            }
            default -> {
                if (starts) {
                    keys.putIfAbsent("timeout", "1s");
                }
            }
        }
    }

    private static void completeRetry(Map<String, String> keys, boolean starts) {
        if ("exponential".equals(keys.get("backoff.strategy"))) {
            keys.putIfAbsent("backoff.multiplier", "1.5");
        }
        if (starts) {
            keys.putIfAbsent("backoff.base-delay", "500ms");
            keys.putIfAbsent("backoff.strategy", "fixed");
            keys.putIfAbsent("backoff.jitter", "none");
            keys.putIfAbsent("retry-on", "java.lang.Exception");
        }
        raise(keys, "backoff.base-delay", "backoff.max-delay", Duration.ofSeconds(30));
        if ("exponential".equals(keys.get("backoff.strategy"))) {
            raiseToLongest(keys);
        }
    }

    /** Waits that grow have no limit there unless one is written. */
    private static void raiseToLongest(Map<String, String> keys) {
        String attempts = keys.getOrDefault("max-attempts", "3");
        String multiplier = keys.getOrDefault("backoff.multiplier", "");
        Long first = millis(keys.getOrDefault("backoff.base-delay", "500ms"));
        if (first != null && attempts.matches("\\d{1,4}") && multiplier.matches("\\d{1,4}(\\.\\d+)?")) {
            double longest = first * Math.pow(Double.parseDouble(multiplier), Integer.parseInt(attempts) - 2);
            if (longest > 30_000) {
                long hours = (long) Math.min(8_760, Math.ceil(longest / 3_600_000));
                keys.putIfAbsent(
                        "backoff.max-delay", longest < 3_600_000 ? (long) Math.ceil(longest) + "ms" : hours + "h");
            }
        }
    }

    private static void completeBreaker(Map<String, String> keys, boolean starts) {
        if (starts) {
            keys.putIfAbsent("failure-threshold", "0");
            keys.putIfAbsent("window.type", "count");
            keys.putIfAbsent("minimum-calls", "100");
            keys.putIfAbsent("open-duration", "60s");
            keys.putIfAbsent("open-duration-multiplier", "1.0");
            if (keys.containsKey("slow-call-rate-threshold")) {
                keys.putIfAbsent("slow-call-duration", "60s");
            }
        }
        String size = keys.get("window.size");
        if ("time".equals(keys.get("window.type")) && size != null) {
            keys.remove("window.size");
            keys.put("window.duration", size + "s");
        }
        String calls = keys.get("minimum-calls");
        if ("count".equals(keys.get("window.type"))
                && size != null
                && calls != null
                && size.matches("\\d{1,9}")
                && calls.matches("\\d{1,9}")
                && Integer.parseInt(calls) > Integer.parseInt(size)) {
            keys.put("minimum-calls", size);
        }
        raise(keys, "open-duration", "max-open-duration", Duration.ofMinutes(5));
    }

    /** A base above our default limit needs a limit of its own. */
    private static void raise(Map<String, String> keys, String base, String limit, Duration otherwise) {
        Long first = millis(keys.get(base));
        if (first != null && first > otherwise.toMillis()) {
            keys.putIfAbsent(limit, keys.getOrDefault(base, ""));
        }
    }

    /** Whether it is a duration of no length. */
    static boolean isZero(String value) {
        return Long.valueOf(0).equals(millis(value));
    }

    private static @Nullable Long millis(@Nullable String value) {
        Matcher matcher = DURATION.matcher(value == null ? "" : value.strip().toLowerCase(Locale.ROOT));
        if (matcher.matches() && matcher.group(1).length() < 13) {
            String unit = matcher.group(2) == null ? "ms" : matcher.group(2);
            return Long.parseLong(matcher.group(1)) * MILLIS.getOrDefault(unit, 1L);
        }
        try {
            return value == null ? null : Duration.parse(value.strip()).toMillis();
        } catch (DateTimeException placeholder) {
            return null;
        }
    }
}
