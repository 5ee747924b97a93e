package dev.resilience.spring.properties;

import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.properties.Setting.AnnotationOrigin;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.StringValueResolver;

/**
 * The values that annotations give policies, by kind and name, and the names of policies that are named after a method or
 * after the type that has the annotation. Filled before policies are made of what is known by then; classes that turn up
 * later add to it. Safe for use by many threads.
 */
public final class AnnotatedPolicies {

    private static final String DEFAULT = "default";

    /** Attributes that say which policy it is, and whether the annotation holds. */
    private static final Set<String> NO_VALUES = Set.of("value", "enabled");

    private final BiPredicate<ConfiguredKind<?, ?, ?>, String> isKey;
    private final StringValueResolver placeholders;
    private final PolicyOwners owners = new PolicyOwners();
    private final Map<ConfiguredKind<?, ?, ?>, SortedMap<String, Attribute>> attributes = new ConcurrentHashMap<>();
    private final Map<ConfiguredKind<?, ?, ?>, Map<String, Declared>> byKind = new ConcurrentHashMap<>();
    private final Set<Policy> ofBeans = ConcurrentHashMap.newKeySet();
    private final Set<Policy> late = ConcurrentHashMap.newKeySet();
    private volatile boolean collected;

    private record Policy(ConfiguredKind<?, ?, ?> kind, String name) {}

    private record Attribute(String name, @Nullable Object byDefault) {}

    /**
     * What an annotation says of a policy.
     *
     * @param annotation its name, as in source
     * @param place the class and, unless the annotation stands on the type, the method
     * @param values those that are set, by key
     */
    private record Declared(String annotation, String place, Map<String, Value> values) {

        /** @param value lists in place of arrays */
        private record Value(String attribute, Object value) {}

        /** As in source: {@code @Retryable(maxAttempts = 5)}. */
        private String describe(Collection<Value> shown) {
            return shown.stream()
                    .map(one -> one.attribute + " = " + literal(one.value))
                    .collect(Collectors.joining(", ", annotation + "(", ")"));
        }

        private String describe() {
            return describe(values.values()) + " of " + place;
        }

        private static String literal(Object value) {
            if (value instanceof Collection<?> several) {
                String all = several.stream().map(Declared::literal).collect(Collectors.joining(", "));
                return several.size() == 1 ? all : "{" + all + "}";
            }
            if (value instanceof Class<?> type) {
                return type.getSimpleName() + ".class";
            }
            return value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
        }
    }

    /**
     * @param isKey whether policies of a kind have a key, which an attribute may give a value
     * @param placeholders resolves those in names
     */
    public AnnotatedPolicies(BiPredicate<ConfiguredKind<?, ?, ?>, String> isKey, StringValueResolver placeholders) {
        this.isKey = isKey;
        this.placeholders = placeholders;
    }

    /**
     * Adds what is known before policies are made.
     *
     * @param ofClasses annotations of classes that beans have
     * @param ofContracts annotations of interfaces that beans have, which the classes behind them may have as well or
     *     not: they add values to policies that are written elsewhere, and are no policies of their own for now
     */
    public void collect(List<PolicyUse<?>> ofClasses, List<PolicyUse<?>> ofContracts, StartupProblems problems) {
        Stream.concat(ofClasses.stream(), ofContracts.stream())
                .filter(use -> isNoName(use.writtenName()) && !values(use).isEmpty())
                .forEach(use -> owners.add(use.type()));
        for (PolicyUse<?> use : ofClasses) {
            problems.collect(() -> ofBeans.add(new Policy(use.kind(), add(use))));
        }
        ofContracts.forEach(use -> new StartupProblems().collect(() -> add(use)));
        collected = true;
    }

    /** {@code default} is what all others start from, and {@code @Idempotent} has it where nothing is written. */
    private static boolean isNoName(String written) {
        return written.isBlank() || written.equals(DEFAULT);
    }

    /**
     * The name of the policy that an annotation names, or gives values. The values are known from then on.
     *
     * @throws ResilienceConfigurationException if a placeholder in the name cannot be resolved, or if another annotation
     *     gives the policy other values
     */
    public String add(PolicyUse<?> use) {
        String written = use.writtenName();
        Map<String, Declared.Value> values = values(use);
        if (values.isEmpty()) {
            return written.isEmpty() ? DEFAULT : resolve(use, written);
        }
        String resolved = isNoName(written) ? "" : resolve(use, written);
        String name = isNoName(resolved)
                ? owners.nameOf(use.type())
                        + (use.onType() ? "" : "." + use.method().getName())
                : resolved;
        add(use.kind(), name, new Declared(use.annotationName(), use.place(), values));
        return name;
    }

    /** One at a time: what is found here first is known as late then. */
    private synchronized void add(ConfiguredKind<?, ?, ?> kind, String name, Declared policy) {
        Declared first =
                byKind.computeIfAbsent(kind, key -> new ConcurrentHashMap<>()).putIfAbsent(name, policy);
        if (first == null && collected) {
            late.add(new Policy(kind, name));
        }
        if (first != null && !first.values.equals(policy.values)) {
            throw new ResilienceConfigurationException(
                    ProblemKind.POLICIES,
                    "Two annotations give the " + kind.id() + " policy '" + name + "' different values:\n\n    "
                            + first.describe() + "\n    " + policy.describe(),
                    "Write the values in one of the annotations and the name '" + name
                            + "' alone in the other, or give one of them another name.");
        }
    }

    private Map<String, Declared.Value> values(PolicyUse<?> use) {
        Map<String, Declared.Value> values = new LinkedHashMap<>();
        attributes.computeIfAbsent(use.kind(), kind -> attributes(use.kind())).forEach((key, attribute) -> {
            Object value = AnnotationUtils.getValue(use.annotation(), attribute.name);
            if (value != null && !ObjectUtils.nullSafeEquals(value, attribute.byDefault)) {
                Object shown = value.getClass().isArray() ? List.of(ObjectUtils.toObjectArray(value)) : value;
                values.put(key, new Declared.Value(attribute.name, shown));
            }
        });
        return values;
    }

    /** The attributes of a kind's annotation that are values of its policies, by key. */
    private SortedMap<String, Attribute> attributes(ConfiguredKind<?, ?, ?> kind) {
        SortedMap<String, Attribute> all = new TreeMap<>();
        Class<? extends Annotation> annotation = kind.annotation();
        for (Method method : annotation == null ? new Method[0] : annotation.getDeclaredMethods()) {
            String key = kind.keyOf(method.getName());
            if (!NO_VALUES.contains(method.getName()) && method.getParameterCount() == 0 && isKey.test(kind, key)) {
                all.put(key, new Attribute(method.getName(), method.getDefaultValue()));
            }
        }
        return all;
    }

    private String resolve(PolicyUse<?> use, String written) {
        try {
            boolean isLiteral = written.indexOf('{') < 0;
            return isLiteral ? written : String.valueOf(placeholders.resolveStringValue(written));
        } catch (IllegalArgumentException unresolved) {
            throw new ResilienceConfigurationException(
                    ProblemKind.POLICY_NAMES,
                    "The method " + MethodNames.full(use.method(), use.type()) + " names a "
                            + use.kind().id() + " policy by '" + written + "', which cannot be resolved: "
                            + unresolved.getMessage(),
                    "Define the property that the placeholder names, or give it a default: ${name:default}.");
        }
    }

    private @Nullable Declared find(ConfiguredKind<?, ?, ?> kind, String name) {
        return byKind.getOrDefault(kind, Map.of()).get(name);
    }

    /** Whether an annotation gives the policy values. */
    public boolean contains(ConfiguredKind<?, ?, ?> kind, String name) {
        return find(kind, name) != null;
    }

    /**
     * The settings of a policy with the values of its annotation below them, which may turn up late.
     *
     * @param property where the policy is or would be configured
     */
    Map<String, Setting> below(
            Map<String, Setting> settings, ConfiguredKind<?, ?, ?> kind, String name, String property) {
        Declared policy = find(kind, name);
        if (policy == null) {
            return settings;
        }
        Map<String, Setting> all = new LinkedHashMap<>(settings);
        policy.values.forEach((key, value) -> {
            AnnotationOrigin origin =
                    new AnnotationOrigin(policy.describe(List.of(value)), value.attribute, policy.place);
            all.putIfAbsent(key, Setting.of(property + "." + key, value.value, origin));
        });
        return all;
    }

    /** Where a policy gets its values from, for messages. */
    String describe(ConfiguredKind<?, ?, ?> kind, String name) {
        Declared policy = find(kind, name);
        return policy == null ? "" : "    Annotation: " + policy.annotation + " on " + policy.place;
    }

    /** The names of the policies of a kind that annotations of beans give values. */
    List<String> names(ConfiguredKind<?, ?, ?> kind) {
        return byKind.getOrDefault(kind, Map.of()).keySet().stream()
                .filter(name -> ofBeans.contains(new Policy(kind, name)))
                .toList();
    }

    /** Whether the values came after the policies were made. */
    public boolean isLate(ConfiguredKind<?, ?, ?> kind, String name) {
        return late.contains(new Policy(kind, name));
    }

    /** The policy is made of these values. */
    public void isMade(ConfiguredKind<?, ?, ?> kind, String name) {
        late.remove(new Policy(kind, name));
    }

    /**
     * What classes are called in the names of the policies that are named after them: by their simple names, or by their full
     * ones if there are two of one simple name. A class that turns up when the other has its name already gets its full one.
     */
    private static final class PolicyOwners {

        private final Map<String, Set<Class<?>>> bySimpleName = new HashMap<>();
        private final Map<Class<?>, String> names = new HashMap<>();

        /** Makes a class known before the first name is given. */
        synchronized Set<Class<?>> add(Class<?> type) {
            Set<Class<?>> all = bySimpleName.computeIfAbsent(MethodNames.simple(type), key -> new LinkedHashSet<>());
            all.add(type);
            return all;
        }

        synchronized String nameOf(Class<?> type) {
            boolean isShared = add(type).size() > 1;
            return names.computeIfAbsent(type, key -> isShared ? type.getName() : MethodNames.simple(type));
        }
    }

    /**
     * An annotation that holds for a method and names a policy, or gives one values.
     *
     * @param type of the method, as it is written
     * @param onType whether the annotation stands on the type, and is the same for all of its methods
     */
    public record PolicyUse<A extends Annotation>(
            ConfiguredKind<A, ?, ?> kind, A annotation, Method method, Class<?> type, boolean onType) {

        /** As it is written: empty, or with placeholders. */
        public String writtenName() {
            return kind.policyName(annotation);
        }

        /** As in source: {@code @Retryable}. */
        public String annotationName() {
            return "@" + annotation.annotationType().getSimpleName();
        }

        /** The class and, unless it is the type that has the annotation, the method. */
        public String place() {
            return onType ? type.getName() : MethodNames.full(method, type);
        }
    }
}
