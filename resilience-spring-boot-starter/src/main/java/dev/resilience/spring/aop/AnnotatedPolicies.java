package dev.resilience.spring.aop;

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
        List.of(ofBeans, ofContracts).forEach(uses -> uses.stream()
                .filter(use -> isNamedAfterOwner(use, valuesOf(use)))
                .forEach(use -> owners.add(use.type())));
        ofBeans.forEach(use -> mistakes.collect(
                () -> setOf(certain, use.kind()).add(add(use)))); // the name alone is certain where there are no values
        ofContracts.forEach(use -> new StartupMistakes().collect(() -> add(use)));
        collected = true;
    }

    /**
     * The name of the policy that an annotation names, or gives values. The values are known from then on.
     *
     * @throws ResilienceConfigurationException if a placeholder in the name cannot be resolved, or if another annotation
     *     gives the policy other values
     */
    String add(PolicyUse<?> use) {
        Map<String, Object> values = valuesOf(use);
        if (values.isEmpty()) {
            String written = use.writtenName();
            return written.isEmpty() ? DEFAULT : resolve(use, written);
        }
        String name = isNamedAfterOwner(use, values)
                ? owners.nameOf(use.type()) + (use.onType() ? "" : "." + use.method().getName())
                : resolve(use, use.writtenName());
        String annotation = "@" + use.annotation().annotationType().getSimpleName();
        add(use.kind(), name, new AnnotatedPolicy(annotation, use.place(), values, attributes(use.kind()).byKey()));
        return name;
    }

    private void add(PolicyKind kind, String name, AnnotatedPolicy policy) {
        AnnotatedPolicy first = byKind.computeIfAbsent(kind, key -> new ConcurrentHashMap<>())
                .putIfAbsent(name, policy);
        if (first == null && collected) {
            setOf(unmade, kind).add(name);
        }
        if (first != null && !first.values().equals(policy.values())) {
            throw new ResilienceConfigurationException(
                    MistakeKind.POLICIES,
                    "Two annotations give the " + kind.id() + " policy '" + name + "' different values:\n\n    "
                            + first.describe() + " of " + first.place() + "\n    " + policy.describe() + " of "
                            + policy.place(),
                    "Write the values in one of the annotations and the name '" + name + "' alone in the other, or give "
                            + "one of them another name.");
        }
    }

    /** {@code default} is what all others start from, and {@code @Idempotent} has it where nothing is written. */
    private static boolean isNamedAfterOwner(PolicyUse<?> use, Map<String, Object> values) {
        String written = use.writtenName();
        return !values.isEmpty() && (written.isEmpty() || written.equals(DEFAULT));
    }

    private Map<String, Object> valuesOf(PolicyUse<?> use) {
        return attributes(use.kind()).valuesOf(use.annotation());
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
        Set<String> names = new LinkedHashSet<>(byKind.getOrDefault(kind, Map.of()).keySet());
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
