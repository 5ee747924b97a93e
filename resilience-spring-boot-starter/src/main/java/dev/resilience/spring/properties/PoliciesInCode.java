package dev.resilience.spring.properties;

import dev.resilience.policy.PropertyNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.aop.policy.AnnotatedPolicies;
import dev.resilience.spring.aop.policy.AnnotatedPolicy;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;

/**
 * What code says of policies, as the source of properties behind all others: the values of annotations, and the names of
 * policies that are beans. So they are found, inherited, overridden and blamed as those in files are.
 */
public final class PoliciesInCode implements IterableConfigurationPropertySource {

    private final Map<String, PolicyKind> byId = new LinkedHashMap<>();
    private final AnnotatedPolicies annotated;
    private final PolicyBeans beans;

    public PoliciesInCode(Collection<? extends PolicyKind> kinds, AnnotatedPolicies annotated, PolicyBeans beans) {
        kinds.forEach(kind -> byId.put(KnownKeys.uniform(kind.id()), kind));
        this.annotated = annotated;
        this.beans = beans;
    }

    PolicyBeans beans() {
        return beans;
    }

    /** The names of the policies of a kind that annotations or beans give values. */
    public Set<String> names(PolicyKind kind) {
        Set<String> names = new TreeSet<>(annotated.names(kind));
        names.addAll(beans.names(kind));
        return names;
    }

    /** Where a policy of code would be in a file; {@code null} if there is none of the name. */
    @Nullable
    ConfigurationPropertyName find(PolicyKind kind, String name) {
        return annotated.find(kind, name) == null && !beans.names(kind).contains(name) ? null : property(kind, name);
    }

    /** A name of letters and digits is the same with brackets and without; environment variables know it without. */
    private static ConfigurationPropertyName property(PolicyKind kind, String name) {
        return PropertyNames.isPlain(name)
                ? ConfigurationPropertyName.adapt(kind.prefix() + "." + name, '.')
                : ConfigurationPropertyName.of(kind.prefix()).append("[" + name + "]");
    }

    /** Where a policy is, for messages. */
    public String describe(PolicyKind kind, String name) {
        AnnotatedPolicy policy = annotated.find(kind, name);
        return policy == null
                ? beans.describe(name)
                : "    Annotation: " + policy.annotation() + " on " + policy.place();
    }

    @Override
    public Stream<ConfigurationPropertyName> stream() {
        return byId.values().stream().flatMap(kind -> names(kind).stream().map(name -> property(kind, name)));
    }

    @Override
    public @Nullable ConfigurationProperty getConfigurationProperty(ConfigurationPropertyName name) {
        AnnotatedPolicy found = name.getNumberOfElements() > KnownKeys.POLICY_KEY ? annotated(name) : null;
        return found == null
                ? null
                : property(name, found, name.subName(KnownKeys.POLICY_KEY).toString());
    }

    /** Whether an annotation gives values to the policy that has this name. */
    boolean hasValuesOf(ConfigurationPropertyName policy) {
        return annotated(policy) != null;
    }

    private @Nullable AnnotatedPolicy annotated(ConfigurationPropertyName name) {
        PolicyKind kind = byId.get(name.getElement(KnownKeys.KIND, Form.UNIFORM));
        return kind == null ? null : annotated.find(kind, name.getElement(KnownKeys.POLICY, Form.ORIGINAL));
    }

    private static @Nullable ConfigurationProperty property(
            ConfigurationPropertyName name, AnnotatedPolicy policy, String key) {
        Object value = policy.value(key);
        String attribute = policy.keys().get(key);
        return value == null || attribute == null
                ? null
                : new ConfigurationProperty(
                        name, value, new AnnotationOrigin(policy.describe(key), attribute, policy.place()));
    }

    @Override
    public Object getUnderlyingSource() {
        return this;
    }

    /**
     * The value of an annotation's attribute, as the place of a policy's value.
     *
     * @param source as in source: {@code @Retryable(maxAttempts = 5)}
     * @param attribute its name
     * @param place the class and, unless the annotation stands on the type, the method
     */
    record AnnotationOrigin(String source, String attribute, String place) implements Origin {

        String describe(ConfigurationPropertyName property) {
            return "    Annotation: " + source + "\n    Place: " + place + "\n    Property that would override it: "
                    + property;
        }

        /** What to change, in a sentence. */
        String target() {
            return "attribute '" + attribute + "' of " + source + " on " + place;
        }
    }
}
