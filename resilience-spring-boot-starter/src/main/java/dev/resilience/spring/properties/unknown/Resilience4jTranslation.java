package dev.resilience.spring.properties.unknown;

import dev.resilience.spring.properties.value.Percentages;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keys of Resilience4j as YAML of this library. What Resilience4j does by default and this library does not is written
 * out for every policy that starts from nothing else; values that have no equivalent are listed. Needs the JDK alone, because
 * the converter runs without Spring.
 */
public final class Resilience4jTranslation {

    /** The modules of both kinds of bulkheads. */
    public static final String POOLS = "threadpoolbulkhead";

    public static final String SEMAPHORES = "bulkhead";

    /** The kinds by the module that has them there. */
    private static final Map<String, String> MODULES = Map.of(
            "retry",
            "retry",
            "circuitbreaker",
            "circuit-breaker",
            SEMAPHORES,
            "bulkhead",
            POOLS,
            "bulkhead",
            "timelimiter",
            "time-limit");

    private static final Set<String> LEVELS = Set.of("instances", "configs", "backends");
    private static final Pattern ELEMENT = Pattern.compile("\\[([^]]*)]|([^.\\[]+)");

    private final ForeignKeys table = new ForeignKeys();
    private final Map<String, Map<String, Map<String, String>>> policies = new LinkedHashMap<>();
    private final Set<String> without = new TreeSet<>();
    private final boolean isWhole;
    private final PoolNames pools;

    /**
     * Translates keys.
     *
     * @param written values by their keys, such as {@code resilience4j.retry.instances.payments.max-attempts}; the elements
     *     of a list one by one, as {@code key[0]}
     */
    public Resilience4jTranslation(Map<String, String> written) {
        this(written, true, PoolNames.of(names(written.keySet(), POOLS), names(written.keySet(), SEMAPHORES)));
    }

    /**
     * Translates keys of which others may stand elsewhere.
     *
     * @param isWhole whether defaults that differ are written out; where a profile changes some keys they are not
     * @param pools what thread pools are called
     */
    public Resilience4jTranslation(Map<String, String> written, boolean isWhole, PoolNames pools) {
        this.isWhole = isWhole;
        this.pools = pools;
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
        policies.forEach((kind, byName) -> byName.forEach((name, keys) -> Resilience4jDefaults.complete(
                kind, keys, isWhole && startsFromNothing(name, keys, byName.get("default")))));
    }

    private void add(String name, String value) {
        List<String> elements = elements(name);
        String module = elements.size() > 1 ? ForeignKeys.uniform(elements.get(1)) : "";
        String kind = MODULES.get(module);
        if (kind == null || elements.size() < 4 || !LEVELS.contains(ForeignKeys.uniform(elements.get(2)))) {
            without.add(name);
            return;
        }
        boolean isPool = module.equals(POOLS);
        String policy = isPool ? pools.of(elements.get(3)) : elements.get(3);
        Map<String, String> keys = policies.computeIfAbsent(kind, key -> new TreeMap<>())
                .computeIfAbsent(policy, key -> new LinkedHashMap<>());
        String key = String.join(".", elements.subList(4, elements.size()));
        if (isPool) {
            keys.putIfAbsent("type", "thread-pool");
            if (isWhole && pools.haveDefault() && !policy.equals(pools.of("default"))) {
                keys.putIfAbsent("extends", pools.of("default"));
            }
        }
        if (!key.isEmpty() && !translate(kind, key, isPool && isBase(key) ? pools.of(value) : value, keys)) {
            without.add(name);
        }
    }

    /** A pool gets nothing of a default that is a semaphore's. */
    private static boolean startsFromNothing(
            String name, Map<String, String> keys, @Nullable Map<String, String> defaults) {
        boolean isOfAnotherKind = defaults != null && !Objects.equals(defaults.get("type"), keys.get("type"));
        return name.equals("default") || (!keys.containsKey("extends") && (defaults == null || isOfAnotherKind));
    }

    private static boolean isBase(String key) {
        return ForeignKeys.uniform(key).equals("baseconfig");
    }

    /** The names of the policies of a module among keys. */
    public static Set<String> names(Collection<String> keys, String module) {
        return keys.stream()
                .map(Resilience4jTranslation::elements)
                .filter(elements -> elements.size() > 3
                        && ForeignKeys.uniform(elements.get(1)).equals(module)
                        && LEVELS.contains(ForeignKeys.uniform(elements.get(2))))
                .map(elements -> elements.get(3))
                .collect(Collectors.toSet());
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
                boolean isZero = Resilience4jDefaults.isZero(value);
                keys.put(isZero ? "max-queue" : "queue-timeout", isZero ? "0" : withUnit(value));
            }
            case "maxwaitdurationinhalfopenstate" -> {
                if (!Resilience4jDefaults.isZero(value)) { // 0 is no limit there
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

    /** The policies as lines of a properties file, each with a line break at its end. */
    public String toProperties() {
        return PropertiesText.of(policies);
    }

    /** The keys that have no equivalent. */
    public Set<String> without() {
        return without;
    }
}
