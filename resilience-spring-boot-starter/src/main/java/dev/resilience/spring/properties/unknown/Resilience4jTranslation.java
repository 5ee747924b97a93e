package dev.resilience.spring.properties.unknown;

import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.properties.KnownKeys;
import dev.resilience.spring.properties.Percentages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.convert.DurationStyle;

/**
 * Keys of Resilience4j as YAML of this library. What Resilience4j does by default and this library does not is written
 * out for every policy that starts from nothing else; values that have no equivalent are listed.
 */
final class Resilience4jTranslation {

    private static final String REASON =
            "Keys under 'resilience4j' have no effect, because no Spring Boot starter of Resilience4j is on the class path.";

    /** The kinds by the module that has them there. */
    private static final Map<String, String> KINDS = Map.of(
            "retry", "retry",
            "circuitbreaker", "circuit-breaker",
            "bulkhead", "bulkhead",
            "threadpoolbulkhead", "bulkhead",
            "timelimiter", "time-limit");

    private final ForeignKeys table = new ForeignKeys();
    private final KnownKeys known;
    private final Map<PolicyKind, Map<String, Map<String, String>>> policies = new LinkedHashMap<>();
    private final Set<String> without = new TreeSet<>();

    Resilience4jTranslation(Map<ConfigurationPropertyName, String> written, KnownKeys known) {
        this.known = known;
        Map<ConfigurationPropertyName, List<String>> lists = new LinkedHashMap<>();
        written.forEach((name, value) -> {
            int last = name.getNumberOfElements() - 1;
            if (name.isNumericIndex(last)) {
                lists.computeIfAbsent(name.chop(last), key -> new ArrayList<>()).add(value);
            } else {
                add(name, value);
            }
        });
        lists.forEach((name, values) -> add(name, "[" + String.join(", ", values) + "]"));
        policies.forEach((kind, byName) -> byName.forEach((name, keys) -> complete(kind, name, keys, byName)));
    }

    private void add(ConfigurationPropertyName name, String value) {
        String module = KnownKeys.uniform(name.getElement(1, Form.ORIGINAL));
        PolicyKind kind = known.kinds().stream()
                .filter(one -> one.id().equals(KINDS.get(module)))
                .findFirst()
                .orElse(null);
        String level = name.getNumberOfElements() > 2 ? name.getElement(2, Form.UNIFORM) : "";
        boolean isPolicy = name.getNumberOfElements() > 4
                && (level.equals("instances") || level.equals("configs") || level.equals("backends"));
        if (kind == null || !isPolicy) {
            without.add(name.toString());
            return;
        }
        Map<String, String> keys = policies.computeIfAbsent(kind, key -> new TreeMap<>())
                .computeIfAbsent(name.getElement(3, Form.ORIGINAL), key -> new LinkedHashMap<>());
        if (module.equals("threadpoolbulkhead")) {
            keys.putIfAbsent("type", "thread-pool");
        }
        String key = KnownKeys.plain(name, 4);
        if (!translate(kind, key, value, keys)) {
            without.add(name.toString());
        }
    }

    private boolean translate(PolicyKind kind, String key, String value, Map<String, String> keys) {
        String same = known.find(kind, key);
        ForeignKeys.Entry entry = table.find(kind.id(), key);
        String uniform = KnownKeys.uniform(key);
        if (uniform.equals("baseconfig")) {
            if (!value.equals("default")) {
                keys.put("extends", value);
            }
        } else if (uniform.endsWith("ratethreshold") && same != null) {
            keys.put(same, ratio(value));
        } else if (uniform.equals("slidingwindowsize")) {
            keys.put("window.size", value);
        } else if (uniform.equals("permittednumberofcallsinhalfopenstate")) {
            keys.put("half-open.max-concurrent", value);
            keys.put("half-open.success-threshold", value);
        } else if (uniform.equals("maxwaitduration") && kind.id().equals("bulkhead")) {
            keys.put(isZero(value) ? "max-queue" : "queue-timeout", isZero(value) ? "0" : millis(value));
        } else if (entry != null
                && entry.library().contains(ForeignKeys.RESILIENCE4J)
                && !entry.ours().isEmpty()) {
            String translated = entry.value(value);
            if (translated == null) {
                return false;
            }
            if (uniform.equals("enableexponentialbackoff")) {
                keys.putIfAbsent(entry.ours(), translated); // where the multiplier is written too, that says more
            } else {
                keys.put(entry.ours(), translated);
            }
        } else if (same != null) {
            keys.put(same, value);
        } else {
            return false;
        }
        return true;
    }

    /** Percent, always: Resilience4j's 1 is one percent. */
    private static String ratio(String value) {
        return value.matches("\\d+(\\.\\d+)?") ? Percentages.toRatio(value + "%") : value;
    }

    private static String millis(String value) {
        return value.matches("\\d+") ? value + "ms" : value;
    }

    private static boolean isZero(String value) {
        Duration duration = duration(value);
        return duration != null && duration.isZero();
    }

    private static @Nullable Duration duration(@Nullable String value) {
        try {
            return value == null ? null : DurationStyle.detectAndParse(millis(value));
        } catch (IllegalArgumentException placeholder) {
            return null;
        }
    }

    /** Writes out what is different by default, and what a value needs beside it. */
    private static void complete(
            PolicyKind kind, String name, Map<String, String> keys, Map<String, Map<String, String>> byName) {
        boolean starts = name.equals("default") || (!keys.containsKey("extends") && !byName.containsKey("default"));
        switch (kind.id()) {
            case "retry" -> completeRetry(keys, starts);
            case "circuit-breaker" -> completeBreaker(keys, starts);
            case "bulkhead" -> {
                if (starts && !keys.containsKey("queue-timeout") && !"thread-pool".equals(keys.get("type"))) {
                    keys.putIfAbsent("max-queue", "0");
                }
            }
            default -> {}
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
    }

    private static void completeBreaker(Map<String, String> keys, boolean starts) {
        if (starts) {
            keys.putIfAbsent("failure-threshold", "0");
            keys.putIfAbsent("window.type", "count");
            keys.putIfAbsent("minimum-calls", "100");
            keys.putIfAbsent("open-duration", "60s");
            keys.putIfAbsent("open-duration-multiplier", "1.0");
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
        Duration first = duration(keys.get(base));
        if (first != null && first.compareTo(otherwise) > 0) {
            keys.putIfAbsent(limit, keys.getOrDefault(base, ""));
        }
    }

    boolean contains(PolicyKind kind, String name) {
        return policies.getOrDefault(kind, Map.of()).containsKey(name);
    }

    String toText() {
        return REASON + equivalent();
    }

    /** As a mistake: methods name policies that are among the keys. */
    ResilienceConfigurationException toMistake() {
        return new ResilienceConfigurationException(
                MistakeKind.KEYS,
                REASON + " Methods name policies that are among them",
                equivalent().strip());
    }

    private String equivalent() {
        StringBuilder text = new StringBuilder();
        if (!policies.isEmpty()) {
            text.append(" For this library they are:\n\nresilience:");
            known.kinds().stream().filter(policies::containsKey).forEach(kind -> {
                Map<String, Map<String, String>> byName = policies.getOrDefault(kind, Map.of());
                text.append("\n  ").append(kind.id()).append(':');
                byName.forEach((name, keys) -> YamlText.append(text, 4, name, keys));
            });
            text.append('\n');
        }
        if (!without.isEmpty()) {
            text.append("\nWithout an equivalent: ")
                    .append(String.join(", ", without))
                    .append('.');
        }
        return text.toString();
    }
}
