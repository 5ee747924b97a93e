package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.KebabCase;
import dev.resilience.spring.PolicyKind;
import java.beans.PropertyDescriptor;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** Every key that is read, taken from the classes that they are bound to. */
final class KnownKeys {

    static final String ROOT = "resilience";

    private static final int KIND = 1;
    private static final int POLICY = 2;
    private static final int POLICY_KEY = 3;

    /** What the documentation of other versions speaks of. */
    private static final Set<String> OF_OTHER_VERSIONS = Set.of("advice-mode", "bindings", "http-client");

    private final Map<PolicyKind, Set<String>> ofPolicies = new EnumMap<>(PolicyKind.class);
    private final Set<String> general;

    KnownKeys() {
        ofPolicies.put(PolicyKind.RETRY, keysOf(RetryProperties.class));
        ofPolicies.put(PolicyKind.RETRY_BUDGET, keysOf(RetryBudgetProperties.class));
        ofPolicies.put(PolicyKind.CIRCUIT_BREAKER, keysOf(CircuitBreakerProperties.class));
        ofPolicies.put(PolicyKind.BULKHEAD, keysOf(BulkheadProperties.class));
        ofPolicies.put(PolicyKind.TIME_LIMIT, keysOf(TimeLimitProperties.class));
        ofPolicies.put(PolicyKind.IDEMPOTENCY, keysOf(IdempotencyProperties.class));
        general = keysOf(ResilienceProperties.class);
    }

    boolean contains(ConfigurationPropertyName name) {
        PolicyKind kind = kind(name);
        if (kind == null) {
            return isAmong(general, plain(name, KIND));
        }
        String key = plain(name, POLICY_KEY);
        return key.isEmpty() || isAmong(keysOf(kind), key);
    }

    /** Whether the name is that of a kind or of a policy, which have keys below them but no value. */
    boolean isGroup(ConfigurationPropertyName name) {
        int length = name.getNumberOfElements();
        return (length == POLICY || length == POLICY_KEY) && isUnderRoot(name) && kind(name) != null;
    }

    /** Whether the name ends with a key of the kind; environment variables divide it where other sources do not. */
    boolean isKeyOfPolicy(PolicyKind kind, ConfigurationPropertyName name) {
        String key = plain(name, POLICY_KEY).replace(".", "");
        return keysOf(kind).stream()
                .anyMatch(known -> uniform(known.replace(".", "")).equals(uniform(key)));
    }

    /** The key of a policy that stands in the place of a policy's name, or {@code null} if there is none. */
    @Nullable
    String keyWithoutPolicy(ConfigurationPropertyName name) {
        PolicyKind kind = kind(name);
        String key = plain(name, POLICY);
        return kind != null && isAmong(keysOf(kind), key) ? key : null;
    }

    /** Whether the key is one that this version does not have. */
    boolean isOfOtherVersion(ConfigurationPropertyName name) {
        String key = uniform(plain(name, KIND)) + ".";
        return OF_OTHER_VERSIONS.stream().anyMatch(other -> key.startsWith(uniform(other) + "."));
    }

    /** The part of an unknown key that was probably misspelt. */
    String unknownPart(ConfigurationPropertyName name) {
        return kind(name) == null ? plain(name, KIND) : plain(name, POLICY_KEY);
    }

    /** What may stand in the place of {@link #unknownPart}. */
    Collection<String> candidates(ConfigurationPropertyName name) {
        PolicyKind kind = kind(name);
        if (kind != null) {
            return keysOf(kind);
        }
        Set<String> all = new TreeSet<>(general);
        String rest = name.getNumberOfElements() > POLICY ? "." + plain(name, POLICY) : "";
        for (PolicyKind candidate : PolicyKind.values()) {
            if (rest.isEmpty() || isAmong(keysOf(candidate), plain(name, POLICY_KEY))) {
                all.add(candidate.id() + rest);
            }
        }
        return all;
    }

    private static boolean isUnderRoot(ConfigurationPropertyName name) {
        return name.getElement(0, Form.UNIFORM).equals(ROOT);
    }

    private Set<String> keysOf(PolicyKind kind) {
        return ofPolicies.getOrDefault(kind, Set.of());
    }

    private static @Nullable PolicyKind kind(ConfigurationPropertyName name) {
        String element = name.getElement(KIND, Form.UNIFORM);
        for (PolicyKind kind : PolicyKind.values()) {
            if (uniform(kind.id()).equals(element)) {
                return kind;
            }
        }
        return null;
    }

    private static boolean isAmong(Set<String> keys, String key) {
        return keys.stream().anyMatch(known -> uniform(known).equals(uniform(key)));
    }

    /** The elements from an index on, without the numbers that list elements have. */
    private static String plain(ConfigurationPropertyName name, int from) {
        StringBuilder plain = new StringBuilder();
        for (int i = from; i < name.getNumberOfElements(); i++) {
            if (!name.isNumericIndex(i)) {
                plain.append(plain.isEmpty() ? "" : ".").append(name.getElement(i, Form.ORIGINAL));
            }
        }
        return plain.toString();
    }

    private static String uniform(String key) {
        return key.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    private static Set<String> keysOf(Class<?> type) {
        Set<String> keys = new LinkedHashSet<>();
        collect(type, "", keys);
        return keys;
    }

    private static void collect(Class<?> type, String prefix, Set<String> keys) {
        for (PropertyDescriptor property : BeanUtils.getPropertyDescriptors(type)) {
            String key = prefix + KebabCase.of(property.getName());
            Class<?> valueType = property.getPropertyType();
            if (isGroup(valueType)) {
                collect(valueType, key + ".", keys);
            } else if (property.getWriteMethod() != null) {
                keys.add(key);
            }
        }
    }

    private static boolean isGroup(Class<?> type) {
        return type.isMemberClass() && !type.isEnum() && type.getPackage().equals(KnownKeys.class.getPackage());
    }
}
