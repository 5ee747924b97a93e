package dev.resilience.spring.properties;

import dev.resilience.spring.PolicyKind;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** Every key that is read, taken from the records that they are bound to. */
public final class KnownKeys {

    public static final String ROOT = "resilience";

    public static final int KIND = 1;
    public static final int POLICY = 2;
    public static final int POLICY_KEY = 3;

    /** What the documentation of other versions speaks of. */
    private static final Set<String> OF_OTHER_VERSIONS = Set.of("bindings", "http-client", "rate-limit");

    /** The keys as the documentation writes them, by their uniform spelling. */
    private final Map<PolicyKind, Map<String, String>> ofPolicies = new LinkedHashMap<>();

    private final Map<String, String> general = new LinkedHashMap<>();
    private final Set<String> lists = new LinkedHashSet<>();

    public KnownKeys(Collection<? extends PolicyKind> kinds) {
        for (PolicyKind kind : kinds) {
            Map<String, String> keys = new LinkedHashMap<>();
            PolicyKeys.types(kind.policyType()).forEach((key, type) -> add(key, type.toClass(), keys));
            add("extends", String.class, keys);
            if (kind.canBeSwitchedOff()) {
                add("enabled", Boolean.class, keys);
            }
            ofPolicies.put(kind, keys);
        }
        RecordShape.of(ResilienceProperties.class).types().forEach((key, type) -> add(key, type.toClass(), general));
    }

    private void add(String key, Class<?> type, Map<String, String> keys) {
        keys.put(uniform(key), key);
        if (Collection.class.isAssignableFrom(type)) {
            lists.add(uniform(key));
        }
    }

    /** The kinds of policies, in the order in which they are shown. */
    public Set<PolicyKind> kinds() {
        return ofPolicies.keySet();
    }

    public boolean contains(ConfigurationPropertyName name) {
        PolicyKind kind = kind(name);
        if (isMisplacedList(name)) {
            return false;
        }
        if (kind == null) {
            return general.containsKey(uniform(plain(name, KIND)));
        }
        String key = plain(name, POLICY_KEY);
        return key.isEmpty() || keysOf(kind).containsKey(uniform(key));
    }

    /** Whether the name has the number of a list element where the key is not that of a list. */
    public boolean isMisplacedList(ConfigurationPropertyName name) {
        int last = name.getNumberOfElements() - 1;
        for (int i = KIND; i < last; i++) {
            if (name.isNumericIndex(i)) {
                return true;
            }
        }
        return last >= KIND
                && name.isNumericIndex(last)
                && !lists.contains(uniform(plain(name, kind(name) == null ? KIND : POLICY_KEY)));
    }

    /** Whether keys stand below the name, which has no value of its own. */
    public boolean isGroupOfKeys(ConfigurationPropertyName name) {
        PolicyKind kind = kind(name);
        return isGroupOfKeys(kind, plain(name, kind == null ? KIND : POLICY_KEY));
    }

    private boolean isGroupOfKeys(@Nullable PolicyKind kind, String key) {
        String beginning = uniform(key) + ".";
        return !key.isEmpty()
                && (kind == null ? general : keysOf(kind))
                        .keySet().stream().anyMatch(known -> known.startsWith(beginning));
    }

    /** The keys of a kind, as the documentation writes them. */
    public Collection<String> of(PolicyKind kind) {
        return keysOf(kind).values();
    }

    /** The keys that belong to no policy. */
    public Collection<String> general() {
        return general.values();
    }

    /** As the documentation writes it, a key of a kind that is written in any form; {@code null} if there is none. */
    @Nullable
    public String find(PolicyKind kind, String key) {
        return keysOf(kind).get(uniform(key));
    }

    /** Whether the name is that of a kind or of a policy, which have keys below them but no value. */
    public boolean isGroup(ConfigurationPropertyName name) {
        int length = name.getNumberOfElements();
        return (length == POLICY || length == POLICY_KEY) && isUnderRoot(name) && kind(name) != null;
    }

    /** Whether the name ends with a key of the kind; environment variables divide it where other sources do not. */
    boolean isKeyOfPolicy(PolicyKind kind, ConfigurationPropertyName name) {
        String key = uniform(plain(name, POLICY_KEY)).replace(".", "");
        return keysOf(kind).keySet().stream()
                .anyMatch(known -> known.replace(".", "").equals(key));
    }

    /** The key of a policy that stands in the place of a policy's name, or {@code null} if there is none. */
    @Nullable
    public String keyWithoutPolicy(ConfigurationPropertyName name) {
        PolicyKind kind = kind(name);
        String key = plain(name, POLICY);
        return kind != null && find(kind, key) != null ? key : null;
    }

    /** Whether the key is one that this version does not have. */
    public boolean isOfOtherVersion(ConfigurationPropertyName name) {
        String key = uniform(plain(name, KIND)) + ".";
        return OF_OTHER_VERSIONS.stream().anyMatch(other -> key.startsWith(uniform(other) + "."));
    }

    /** What may stand in the place of the unknown key: a key of its kind, or one with the kind before it. */
    public Collection<String> candidates(ConfigurationPropertyName name) {
        PolicyKind kind = kind(name);
        if (kind != null) {
            return of(kind);
        }
        Set<String> all = new TreeSet<>(general());
        String key = plain(name, POLICY_KEY);
        for (PolicyKind candidate : kinds()) {
            String written = find(candidate, key);
            if (name.getNumberOfElements() <= POLICY) {
                all.add(candidate.id());
            } else if (written != null) {
                all.add(candidate.id() + "." + name.getElement(POLICY, Form.ORIGINAL) + "." + written);
            }
        }
        return all;
    }

    private static boolean isUnderRoot(ConfigurationPropertyName name) {
        return name.getElement(0, Form.UNIFORM).equals(ROOT);
    }

    private Map<String, String> keysOf(PolicyKind kind) {
        return ofPolicies.getOrDefault(kind, Map.of());
    }

    /** The kind below which the name stands, or {@code null} if it is none. */
    @Nullable
    public PolicyKind kind(ConfigurationPropertyName name) {
        String element = name.getElement(KIND, Form.UNIFORM);
        for (PolicyKind kind : kinds()) {
            if (uniform(kind.id()).equals(element)) {
                return kind;
            }
        }
        return null;
    }

    /** The elements from an index on, without the numbers that list elements have. */
    public static String plain(ConfigurationPropertyName name, int from) {
        StringBuilder plain = new StringBuilder();
        for (int i = from; i < name.getNumberOfElements(); i++) {
            if (!name.isNumericIndex(i)) {
                plain.append(plain.isEmpty() ? "" : ".").append(name.getElement(i, Form.ORIGINAL));
            }
        }
        return plain.toString();
    }

    public static String uniform(String key) {
        return key.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }
}
