package dev.resilience.spring.aop.policy;

import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.MethodNames;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringValueResolver;

/**
 * The policies that annotations give values, by kind and name, and the names of those that have none: after the method, or
 * after the type that has the annotation. Filled before policies are made of what is known by then; classes that turn up
 * later add to it. Safe for use by many threads.
 */
public final class AnnotatedPolicies {

    private static final String DEFAULT = "default";

    private final BiPredicate<PolicyKind, String> isKey;
    private final StringValueResolver placeholders;
    private final PolicyOwners owners = new PolicyOwners();
    private final Map<PolicyKind, PolicyAttributes> attributes = new ConcurrentHashMap<>();
    private final Map<PolicyKind, Map<String, AnnotatedPolicy>> byKind = new ConcurrentHashMap<>();
    private final Map<PolicyKind, Set<String>> certain = new ConcurrentHashMap<>();
    private final Map<PolicyKind, Set<String>> unmade = new ConcurrentHashMap<>();
    private volatile boolean collected;

    /**
     * @param isKey whether policies of a kind have a key, which an attribute may give a value
     * @param placeholders resolves those in names
     */
    public AnnotatedPolicies(BiPredicate<PolicyKind, String> isKey, StringValueResolver placeholders) {
        this.isKey = isKey;
        this.placeholders = placeholders;
    }

    /**
     * Adds what is known before policies are made.
     *
     * @param ofBeans annotations of classes that beans have
     * @param ofContracts annotations of interfaces that beans have, which the classes behind them may have as well or
     *     not: they add values to policies that are written elsewhere, and are no policies of their own for now
     */
    void collect(List<PolicyUse<?>> ofBeans, List<PolicyUse<?>> ofContracts, StartupMistakes mistakes) {
        List<Said> byBeans = ofBeans.stream().map(this::said).toList();
        List<Said> byContracts = ofContracts.stream().map(this::said).toList();
        Stream.concat(byBeans.stream(), byContracts.stream())
                .filter(Said::isNamedAfterOwner)
                .forEach(said -> owners.add(said.use().type()));
        byBeans.forEach(
                said -> mistakes.collect(() -> setOf(certain, said.use().kind()).add(add(said))));
        byContracts.forEach(said -> new StartupMistakes().collect(() -> add(said)));
        collected = true;
    }

    /** What an annotation says: its values by the names of the attributes. */
    private record Said(PolicyUse<?> use, Map<String, Object> values) {

        /** {@code default} is what all others start from, and {@code @Idempotent} has it where nothing is written. */
        boolean isNamedAfterOwner() {
            return !values.isEmpty() && isNoName(use.writtenName());
        }
    }

    private static boolean isNoName(String written) {
        return written.isBlank() || written.equals(DEFAULT);
    }

    private Said said(PolicyUse<?> use) {
        return new Said(use, attributes(use.kind()).valuesOf(use.annotation()));
    }

    /**
     * The name of the policy that an annotation names, or gives values. The values are known from then on.
     *
     * @throws ResilienceConfigurationException if a placeholder in the name cannot be resolved, or if another annotation
     *     gives the policy other values
     */
    String add(PolicyUse<?> use) {
        return add(said(use));
    }

    private String add(Said said) {
        PolicyUse<?> use = said.use();
        if (said.values().isEmpty()) {
            String written = use.writtenName();
            return written.isEmpty() ? DEFAULT : resolve(use, written);
        }
        String written = said.isNamedAfterOwner() ? "" : resolve(use, use.writtenName());
        String name = isNoName(written)
                ? owners.nameOf(use.type())
                        + (use.onType() ? "" : "." + use.method().getName())
                : written;
        String annotation = "@" + use.annotation().annotationType().getSimpleName();
        add(
                use.kind(),
                name,
                new AnnotatedPolicy(
                        annotation,
                        use.place(),
                        said.values(),
                        attributes(use.kind()).byKey()));
        return name;
    }

    /** One at a time: what is found here first is known as unmade then. */
    private synchronized void add(PolicyKind kind, String name, AnnotatedPolicy policy) {
        AnnotatedPolicy first =
                byKind.computeIfAbsent(kind, key -> new ConcurrentHashMap<>()).putIfAbsent(name, policy);
        if (first == null && collected) {
            setOf(unmade, kind).add(name);
        }
        if (first != null && !first.values().equals(policy.values())) {
            throw new ResilienceConfigurationException(
                    MistakeKind.POLICIES,
                    "Two annotations give the " + kind.id() + " policy '" + name + "' different values:\n\n    "
                            + first.describe() + " of " + first.place() + "\n    " + policy.describe() + " of "
                            + policy.place(),
                    "Write the values in one of the annotations and the name '" + name
                            + "' alone in the other, or give " + "one of them another name.");
        }
    }

    private PolicyAttributes attributes(ConfiguredKind<?, ?, ?> kind) {
        return attributes.computeIfAbsent(kind, key -> PolicyAttributes.of(kind, isKey));
    }

    private String resolve(PolicyUse<?> use, String written) {
        try {
            return String.valueOf(placeholders.resolveStringValue(written));
        } catch (IllegalArgumentException unresolved) {
            throw new ResilienceConfigurationException(
                    MistakeKind.POLICY_NAMES,
                    "The method " + MethodNames.full(use.method(), use.type()) + " names a "
                            + use.kind().id() + " policy by '" + written + "', which cannot be resolved: "
                            + unresolved.getMessage(),
                    "Define the property that the placeholder names, or give it a default: ${name:default}.");
        }
    }

    /** What annotations say of a policy; {@code null} if none gives it values. */
    public @Nullable AnnotatedPolicy find(PolicyKind kind, String name) {
        return byKind.getOrDefault(kind, Map.of()).get(name);
    }

    /** The names of the policies of a kind that annotations of beans give values. */
    public Collection<String> names(PolicyKind kind) {
        Set<String> names =
                new LinkedHashSet<>(byKind.getOrDefault(kind, Map.of()).keySet());
        names.retainAll(certain.getOrDefault(kind, Set.of()));
        return names;
    }

    /** Whether the values came after the policies were made. */
    boolean isUnmade(PolicyKind kind, String name) {
        return unmade.getOrDefault(kind, Set.of()).contains(name);
    }

    /** The policy is made of these values. */
    void isMade(PolicyKind kind, String name) {
        unmade.getOrDefault(kind, Set.of()).remove(name);
    }

    private static Set<String> setOf(Map<PolicyKind, Set<String>> byKind, PolicyKind kind) {
        return byKind.computeIfAbsent(kind, key -> ConcurrentHashMap.newKeySet());
    }
}
