package dev.resilience.spring.properties.unknown;

import dev.resilience.spring.properties.Percentages;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keys of Resilience4j as YAML of this library. What Resilience4j does by default and this library does not is written
 * out for every policy that starts from nothing else; values that have no equivalent are listed. Needs the JDK alone, because
 * the converter runs without Spring.
 */
public final class Resilience4jTranslation {

    /** The kinds by the module that has them there. */
    private static final Map<String, String> MODULES = Map.of(
            "retry", "retry",
            "circuitbreaker", "circuit-breaker",
            "bulkhead", "bulkhead",
            "threadpoolbulkhead", "bulkhead",
            "timelimiter", "time-limit");

    private static final Set<String> LEVELS = Set.of("instances", "configs", "backends");
    private static final Pattern ELEMENT = Pattern.compile("\\[([^]]*)]|([^.\\[]+)");
    private static final Pattern DURATION = Pattern.compile("(\\d+)(ms|s|m|h|d)?");
    private static final Map<String, Long> MILLIS =
            Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

    private final ForeignKeys table = new ForeignKeys();
    private final Map<String, Map<String, Map<String, String>>> policies = new LinkedHashMap<>();
    private final Set<String> without = new TreeSet<>();

    /**
     * Translates keys.
     *
     * @param written values by their keys, such as {@code resilience4j.retry.instances.payments.max-attempts}; the elements
     *     of a list one by one, as {@code key[0]}
     */
    public Resilience4jTranslation(Map<String, String> written) {
        this(written, true);
    }

    /**
     * Translates keys of which others may stand elsewhere.
     *
     * @param isWhole whether defaults that differ are written out; where a profile changes some keys they are not
     */
    public Resilience4jTranslation(Map<String, String> written, boolean isWhole) {
        Map<String, List<String>> lists = new LinkedHashMap<>();
        written.forEach((name, value) -> {
            if (name.matches(".*\\[\\d+]")) {
                lists.computeIfAbsent(name.substring(0, name.lastIndexOf('[')), key -> new ArrayList<>())
                        .add(value);
            } else {
                add(name, value);
            }
        });
        lists.forEach((name, values) -> add(name, "[" + String.join(", ", values) + "]"));
        policies.forEach((kind, byName) -> byName.forEach((name, keys) -> complete(
                kind,
                keys,
                isWhole
                        && (name.equals("default")
                                || (!keys.containsKey("extends") && !byName.containsKey("default"))))));
    }

    private void add(String name, String value) {
        List<String> elements = elements(name);
        String module = elements.size() > 1 ? ForeignKeys.uniform(elements.get(1)) : "";
        String kind = MODULES.get(module);
        if (kind == null || elements.size() < 4 || !LEVELS.contains(ForeignKeys.uniform(elements.get(2)))) {
            without.add(name);
            return;
        }
        Map<String, String> keys = policies.computeIfAbsent(kind, key -> new TreeMap<>())
                .computeIfAbsent(elements.get(3), key -> new LinkedHashMap<>());
        if (module.equals("threadpoolbulkhead")) {
            keys.putIfAbsent("type", "thread-pool");
        }
        String key = String.join(".", elements.subList(4, elements.size()));
        if (!key.isEmpty() && !translate(kind, key, value, keys)) {
            without.add(name);
        }
    }

    private static List<String> elements(String name) {
        List<String> elements = new ArrayList<>();
        Matcher matcher = ELEMENT.matcher(name);
        while (matcher.find()) {
            elements.add(matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
        }
        return elements;
    }

    private boolean translate(String kind, String key, String value, Map<String, String> keys) {
        ForeignKeys.Entry entry = table.find(kind, key);
        switch (ForeignKeys.uniform(key)) {
            case "baseconfig" -> {
                if (!value.equals("default")) {
                    keys.put("extends", value);
                }
            }
            case "slidingwindowsize" -> keys.put("window.size", value);
            case "permittednumberofcallsinhalfopenstate" -> {
                keys.put("half-open.max-concurrent", value);
                keys.put("half-open.success-threshold", value);
            }
            case "maxwaitduration" -> {
                boolean isZero = Long.valueOf(0).equals(millis(value));
                keys.put(isZero ? "max-queue" : "queue-timeout", isZero ? "0" : withUnit(value));
            }
            case "maxwaitdurationinhalfopenstate" -> {
                if (!Long.valueOf(0).equals(millis(value))) { // 0 is no limit there
                    keys.put("half-open.max-duration", withUnit(value));
                }
            }
            default -> {
                if (entry == null || entry.ours().isEmpty() || !entry.library().contains("Resilience4j")) {
                    return false;
                }
                String translated = entry.rule().equals("percent") ? ratio(value) : entry.value(value);
                if (translated == null) {
                    return false;
                }
                if (entry.foreign().equals("enable-exponential-backoff")) {
                    keys.putIfAbsent(entry.ours(), translated); // where the multiplier is written too, that says more
                } else {
                    keys.put(entry.ours(), translated);
                }
            }
        }
        return true;
    }

    /** Percent, always: Resilience4j's 1 is one percent. */
    private static String ratio(String value) {
        return value.matches("\\d+(\\.\\d+)?") ? Percentages.toRatio(value + "%") : value;
    }

    private static String withUnit(String value) {
        return value.matches("\\d+") ? value + "ms" : value;
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

    /** Writes out what is different by default, and what a value needs beside it. */
    private static void complete(String kind, Map<String, String> keys, boolean starts) {
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

    /** Adds a policy that is written in this library's keys. */
    public void add(String kind, String name, Map<String, String> keys) {
        policies.computeIfAbsent(kind, key -> new TreeMap<>())
                .computeIfAbsent(name, key -> new LinkedHashMap<>())
                .putAll(keys);
    }

    /** Whether there is such a policy among the keys. */
    public boolean contains(String kind, String name) {
        return policies.getOrDefault(kind, Map.of()).containsKey(name);
    }

    /** The YAML, and below it the keys that have none; a sentence goes before it. */
    String toText() {
        String text = policies.isEmpty() ? "" : " For this library they are:\n\n" + toYaml();
        return without.isEmpty() ? text : text + "\nWithout an equivalent: " + String.join(", ", without) + ".";
    }

    /** The policies as YAML, with a line break at its end. */
    public String toYaml() {
        return YamlText.of(policies);
    }

    /** The keys that have no equivalent. */
    public Set<String> without() {
        return without;
    }
}
