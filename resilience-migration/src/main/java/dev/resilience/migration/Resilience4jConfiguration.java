package dev.resilience.migration;

import dev.resilience.migration.Resilience4jPolicies.Source;
import dev.resilience.migration.Use.Element;
import dev.resilience.migration.Use.Undecided;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.openrewrite.java.tree.Expression;

/**
 * The annotations of Resilience4j, which name a policy and a fallback, and its keys in the files of a project: which policies
 * can be translated, and what becomes of the keys.
 */
final class Resilience4jConfiguration {

    private static final Pattern NOT_PLAIN = Pattern.compile("#|^\\w+::");
    private static final List<String> THEIR_ORDER = List.of("retry", "circuit-breaker", "time-limit", "bulkhead");

    private final Project project;
    private final Decisions decisions;
    /** The policies that stay, and why. */
    private final Map<Source, String> kept = new HashMap<>();

    /** All that are known, of any application. */
    private final Set<Source> known = new HashSet<>();

    /** Keeps the annotations whose policies cannot be translated, and those that share a policy with one that stays. */
    Resilience4jConfiguration(Project project, Decisions decisions) {
        this.project = project;
        this.decisions = decisions;
        for (List<Document> application : decisions.applications) {
            Map<Source, String> sources = sources(application);
            application.forEach(variant -> translate(application.get(0), variant, sources));
            for (Use use : decisions.convertedIn(application)) {
                String reason = kept.get(source(use));
                if (reason != null) {
                    use.keep("its policy is not translated: " + reason);
                }
            }
        }
        keepThoseOfUses();
        for (Use use : project.uses) {
            if (kept.containsKey(source(use))) {
                use.keep("another method stays with this policy of Resilience4j");
            }
        }
    }

    private void keepThoseOfUses() {
        project.uses.stream().filter(Use::stays).forEach(use -> kept.putIfAbsent(source(use), use.reason));
    }

    /** The instances of an application, written or named, with the configurations that annotations name. */
    private Map<Source, String> sources(List<Document> application) {
        Map<Source, String> sources = new LinkedHashMap<>();
        new Resilience4jPolicies(application).written.keySet().forEach(source -> sources.put(source, ""));
        sources.keySet().removeIf(Source::isConfig);
        for (Use use : decisions.convertedIn(application)) {
            String config = Objects.requireNonNullElse(project.constant(use.written.get("configuration")), "");
            sources.merge(source(use), config, (one, other) -> one.isEmpty() ? other : one);
        }
        known.addAll(sources.keySet());
        return sources;
    }

    static void convert(Use use, Project project) throws Undecided {
        if (use.kind.isEmpty()) {
            throw new Undecided(
                    use.simpleName.equals("RateLimiter")
                            ? "rate limits are not translated: write @RateLimit and resilience.rate-limit"
                            : "@" + use.simpleName + " has no equivalent: every policy has its meters");
        }
        Expression name = use.written.get("name");
        String literal = project.constant(name);
        if (name == null || literal == null || literal.contains("${")) {
            throw new Undecided("which policy it names is not known before the application runs:"
                    + " write the policy below 'resilience', and the annotation with its name");
        }
        String config = project.constant(use.written.get("configuration"));
        if (NOT_PLAIN.matcher(literal).find() || (config == null && use.written.containsKey("configuration"))) {
            throw new Undecided("a policy's name is a literal or a ${placeholder}, not an expression");
        }
        use.attributes.put("value", name);
        Expression fallback = use.written.get("fallbackMethod");
        if (fallback != null && !Use.source(fallback).equals("\"\"")) {
            if (NOT_PLAIN.matcher(String.valueOf(project.constant(fallback))).find()) {
                throw new Undecided("fallbackMethod is not the name of a method of this class");
            }
            use.fallback = fallback;
        }
    }

    /** The policy that an annotation names; one without a name if that is not known. */
    private Source source(Use use) {
        boolean isPool = Use.name(use.written.get("type")).equals("THREADPOOL");
        String module = isPool ? Resilience4jPolicies.POOLS : ForeignKeys.uniform(use.simpleName);
        return new Source(module, false, Objects.requireNonNullElse(project.constant(use.written.get("name")), ""));
    }

    /**
     * What a policy is called here. There a pool and a semaphore may have one name; here both are bulkheads. An instance that
     * is called {@code default} is one of many there; here all policies would start from it.
     */
    private String name(Source source) {
        String name = source.name().equals("default") ? "default-instance" : source.name();
        boolean isTaken = source.module().equals(Resilience4jPolicies.POOLS)
                && known.contains(new Source("bulkhead", false, source.name()));
        return isTaken ? name + "-pool" : name;
    }

    /** Decides on all documents, and names policies in annotations as in keys. */
    void write() {
        keepThoseOfUses();
        for (Use use : project.uses) {
            Source source = source(use);
            if (!use.stays() && !name(source).equals(source.name())) {
                use.attributes.put("value", use.text(name(source)));
            }
        }
        decisions.applications.forEach(this::write);
    }

    private void write(List<Document> application) {
        Map<Source, String> sources = sources(application);
        Map<String, String> base = Map.of();
        for (Document document : application) {
            Map<String, String> whole = translate(application.get(0), document, sources);
            document.added.putAll(whole);
            document.added.entrySet().removeAll(base.entrySet());
            base = base.isEmpty() ? whole : base;
            mark(document, sources.keySet());
        }
        order(decisions.convertedIn(application), application.get(0));
    }

    /** The policies that are not kept, as keys of this library; more are kept if they cannot be translated. */
    private Map<String, String> translate(Document base, Document variant, Map<Source, String> sources) {
        Resilience4jPolicies policies = new Resilience4jPolicies(List.of(base, variant));
        Map<String, String> all = new TreeMap<>();
        sources.forEach((source, config) -> {
            try {
                if (!kept.containsKey(source)) {
                    policies.translate(source, config)
                            .forEach((key, value) ->
                                    all.put(Document.key(Library.kind(source.module()), name(source), key), value));
                }
            } catch (Undecided undecided) {
                kept.put(source, String.valueOf(undecided.getMessage()));
            }
        });
        return all;
    }

    /** Keys go that Resilience4j does not read any more: not for policies that stay, and not for code. */
    private void mark(Document document, Set<Source> sources) {
        boolean isUsedByCode = project.imports.stream().anyMatch(project.library::isCode);
        document.keys.forEach((key, value) -> {
            Source source = Resilience4jPolicies.source(key);
            boolean isNeeded = source == null
                    || isUsedByCode
                    || kept.containsKey(source)
                    || (source.isConfig() && (isOfModule(kept.keySet(), source) || !isOfModule(sources, source)));
            if (!isNeeded) {
                document.moved.add(key);
            }
            String reason = Resilience4jPolicies.whyNot(key, value);
            if (!reason.isEmpty() && !document.reasons.containsValue(reason)) {
                document.reasons.put(key, reason);
            }
        });
    }

    private static boolean isOfModule(Set<Source> sources, Source one) {
        return sources.stream().anyMatch(source -> source.module().equals(one.module()));
    }

    /** Adds the order in which the aspects stood, if some method has two of them. */
    private static void order(List<Use> uses, Document base) {
        List<String> order = new ArrayList<>(THEIR_ORDER);
        order.sort(Comparator.comparing(kind -> place(kind, base.keys)));
        order.add(0, "idempotent");
        Set<Element> elements = new HashSet<>();
        boolean isSeen = uses.stream().anyMatch(use -> !elements.add(use.element));
        boolean isWritten = base.keys.keySet().stream().anyMatch(key -> key.startsWith("resilience.order"));
        if (isSeen && !isWritten) {
            base.added.put("resilience.order", order.toString());
        }
    }

    private static long place(String kind, Map<String, String> keys) {
        String key = "resilience4j\\." + ForeignKeys.uniform(kind) + "(er)?\\..*aspectorder";
        for (Map.Entry<String, String> entry : keys.entrySet()) {
            if (ForeignKeys.uniform(entry.getKey()).matches(key)
                    && entry.getValue().matches("-?\\d{1,10}")) {
                return Long.parseLong(entry.getValue());
            }
        }
        return Integer.MAX_VALUE;
    }
}
