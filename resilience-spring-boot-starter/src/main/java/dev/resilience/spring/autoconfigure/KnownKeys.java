package dev.resilience.spring.autoconfigure;

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

    private static final int KIND = 1;
    private static final int POLICY_KEY = 3;

    private final Map<PolicyKind, Set<String>> ofPolicies = new EnumMap<>(PolicyKind.class);
    private final Set<String> general;

    KnownKeys() {
        ofPolicies.put(PolicyKind.RETRY, keysOf(RetryProperties.class));
        ofPolicies.put(PolicyKind.RETRY_BUDGET, keysOf(RetryBudgetProperties.class));
        ofPolicies.put(PolicyKind.CIRCUIT_BREAKER, keysOf(CircuitBreakerProperties.class));
        ofPolicies.put(PolicyKind.BULKHEAD, keysOf(BulkheadProperties.class));
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
        String rest = name.getNumberOfElements() > KIND + 1 ? "." + plain(name, KIND + 1) : "";
        for (PolicyKind candidate : PolicyKind.values()) {
            all.add(candidate.id() + rest);
        }
        return all;
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
            String key = prefix + kebabCase(property.getName());
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

    static String kebabCase(String camelCase) {
        return camelCase.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
