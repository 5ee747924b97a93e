package dev.resilience.migration;

import dev.resilience.migration.Use.Undecided;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The policies of Resilience4j that documents have, those of a later one over those of one before. Each is written whole: what
 * it starts from there, and what Resilience4j does by default and this library does not, is written out.
 */
final class Resilience4jPolicies {

    /** The module of bulkheads that have threads. */
    static final String POOLS = "threadpoolbulkhead";

    /** A configuration or an instance. */
    record Source(String module, boolean isConfig, String name) {}

    /** What is written of each. */
    final Map<Source, Map<String, String>> written = new LinkedHashMap<>();

    Resilience4jPolicies(List<Document> documents) {
        documents.forEach(document -> document.keys.forEach((key, value) -> {
            Source source = source(key);
            if (source != null) {
                written.computeIfAbsent(source, none -> new LinkedHashMap<>())
                        .put(ForeignKeys.uniform(below(key)), value);
            }
        }));
    }

    /**
     * The keys of an instance here.
     *
     * @param config the configuration that its annotation names, empty if it names none
     */
    Map<String, String> translate(Source source, String config) throws Undecided {
        Map<String, String> whole = new LinkedHashMap<>();
        if (!config.isEmpty()) {
            whole.put("baseconfig", config);
        }
        Set<Source> seen = new HashSet<>();
        for (Source one = source; one != null && seen.add(one); one = base(one, whole.remove("baseconfig"))) {
            Map<String, String> own = written.get(one);
            if (own != null) {
                own.forEach(whole::putIfAbsent);
            } else if (one.isConfig() && !one.name().equals("default")) {
                throw new Undecided("no file has the configuration '" + one.name() + "'");
            }
        }
        Map<String, String> keys = new TreeMap<>();
        if (source.module().equals(POOLS)) {
            keys.put("type", "thread-pool");
        }
        for (Map.Entry<String, String> key : whole.entrySet()) {
            String reason = ForeignKeys.translate(Library.kind(source.module()), key.getKey(), key.getValue(), keys);
            if (!reason.isEmpty()) {
                throw new Undecided(reason);
            }
        }
        ForeignKeys.complete(Library.kind(source.module()), keys);
        return keys;
    }

    /** The configuration that a policy starts from there; {@code null} for the library's own defaults. */
    private static @Nullable Source base(Source source, @Nullable String written) {
        boolean startsFromNothing = source.module().equals("circuitbreaker")
                ? source.isConfig()
                : source.name().equals("default");
        return written == null && startsFromNothing
                ? null
                : new Source(source.module(), true, written == null ? "default" : written);
    }

    /** Why a key stays; empty if it has an equivalent or nothing to do with Resilience4j. */
    static String whyNot(String key, String value) {
        Source source = source(key);
        if (source == null) {
            String why = ForeignKeys.uniform(key).endsWith("aspectorder")
                    ? "resilience.order says it, for all kinds"
                    : "it has no equivalent; see docs/from-resilience4j-keys.md";
            return key.matches("(spring\\.cloud\\.circuitbreaker\\.)?resilience4j\\..*") ? why : "";
        }
        String own = below(key);
        boolean isPlain = own.isEmpty() || ForeignKeys.uniform(own).equals("baseconfig");
        return isPlain ? "" : ForeignKeys.translate(Library.kind(source.module()), own, value, new HashMap<>());
    }

    /** Whose key it is; {@code null} if it is of no policy. */
    static @Nullable Source source(String key) {
        List<String> elements = Document.elements(key);
        if (elements.size() < 4 || !elements.get(0).equals("resilience4j")) {
            return null;
        }
        String module = ForeignKeys.uniform(elements.get(1));
        String level = ForeignKeys.uniform(elements.get(2));
        return !Library.kind(module).isEmpty() && level.matches("instances|configs|backends")
                ? new Source(module, level.equals("configs"), elements.get(3).replaceAll("^\\[|]$", ""))
                : null;
    }

    private static String below(String key) {
        List<String> elements = Document.elements(key);
        return String.join(".", elements.subList(4, elements.size()));
    }
}
