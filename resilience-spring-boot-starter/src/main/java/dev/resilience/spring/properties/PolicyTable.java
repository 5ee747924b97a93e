package dev.resilience.spring.properties;

import dev.resilience.policy.PropertyNames;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.properties.ConfiguredProperties.Source;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** The settings of all policies as they are configured, by kind, name and key, and what is configured and no setting of anything. */
public final class PolicyTable {

    static final int KIND = 1;
    static final int POLICY = 2;
    static final int POLICY_KEY = 3;

    private final ConfiguredProperties configured;
    private final RecordKeys generalKeys = RecordKeys.of(ResilienceProperties.class);
    private final Map<String, Policies> byId = new LinkedHashMap<>();
    private final List<Unknown> unknown = new ArrayList<>();

    /**
     * The policies of a kind.
     *
     * @param inFiles the first property of each policy, by the policy's name as it is written
     * @param inEnvironment the names that only environment variables and system properties have
     * @param settings by name and key
     */
    private record Policies(
            ConfiguredKind<?, ?, ?> kind,
            RecordKeys keys,
            Map<String, ConfigurationProperty> inFiles,
            Set<String> inEnvironment,
            Map<String, Map<String, Setting>> settings) {}

    /** @param strict whether it must not be there */
    record Unknown(ConfigurationProperty property, boolean strict) {}

    public PolicyTable(ConfiguredProperties configured, Collection<ConfiguredKind<?, ?, ?>> kinds) {
        this.configured = configured;
        for (ConfiguredKind<?, ?, ?> kind : kinds) {
            Policies policies = new Policies(
                    kind, RecordKeys.of(kind), new LinkedHashMap<>(), new LinkedHashSet<>(), new ConcurrentHashMap<>());
            byId.put(RecordKeys.uniform(kind.id()), policies);
        }
        for (Source source : configured.sources()) {
            for (ConfigurationProperty property : source.properties()) {
                if (!source.isEnvironment()) { // there it may be meant for something else
                    addIfUnknown(source, property);
                }
                addName(source, property);
            }
        }
        byId.values()
                .forEach(policies -> policies.inEnvironment.removeIf(name -> isAlike(policies.inFiles.keySet(), name)));
    }

    private void addIfUnknown(Source source, ConfigurationProperty property) {
        Policies policies = policies(property.getName());
        RecordKeys keys = policies == null ? generalKeys : policies.keys;
        String key = ConfiguredProperties.key(property.getName(), policies == null ? KIND : POLICY_KEY);
        boolean isReadByBindings = ConfiguredProperties.isOfBinding(property.getName());
        if (!isReadByBindings && !isKnown(property, keys, key)) {
            unknown.add(new Unknown(property, source.strict()));
        }
    }

    /** A group of keys may be there without a value, as an empty map in YAML is. */
    private static boolean isKnown(ConfigurationProperty property, RecordKeys keys, String key) {
        ConfigurationPropertyName name = property.getName();
        int last = name.getNumberOfElements() - 1;
        boolean isElement = name.isNumericIndex(last);
        String known = keys.find(key);
        if (known != null) {
            return (!isElement || keys.isList(known)) && !(last > POLICY && name.isNumericIndex(POLICY));
        }
        boolean isGroup = key.isEmpty() || key.equals("bindings") || keys.isGroup(key);
        return isGroup && !isElement && String.valueOf(property.getValue()).isEmpty();
    }

    /** In variables and system properties the name of a policy is one word, and a key of its kind follows. */
    private void addName(Source source, ConfigurationProperty property) {
        ConfigurationPropertyName name = property.getName();
        Policies policies = policies(name);
        if (policies == null || name.getNumberOfElements() <= POLICY) {
            return;
        }
        String policy = name.getElement(POLICY, Form.ORIGINAL);
        if (source.strict()) {
            policies.inFiles.putIfAbsent(policy, property);
        } else if (policies.keys.containsSqueezed(ConfiguredProperties.key(name, POLICY_KEY))) {
            policies.inEnvironment.add(policy);
        }
    }

    /** Whether one of the names is the same without dashes and case. */
    static boolean isAlike(Set<String> names, String name) {
        String uniform = RecordKeys.uniform(name);
        return names.stream().anyMatch(other -> RecordKeys.uniform(other).equals(uniform));
    }

    private @Nullable Policies policies(ConfigurationPropertyName name) {
        return byId.get(name.getElement(KIND, Form.UNIFORM));
    }

    private Policies policies(ConfiguredKind<?, ?, ?> kind) {
        return Objects.requireNonNull(byId.get(RecordKeys.uniform(kind.id())), kind.id());
    }

    /** The kind below which a property stands; {@code null} if it is none. */
    @Nullable
    ConfiguredKind<?, ?, ?> kind(ConfigurationPropertyName name) {
        Policies policies = policies(name);
        return policies == null ? null : policies.kind;
    }

    List<ConfiguredKind<?, ?, ?>> kinds() {
        return byId.values().stream().map(Policies::kind).toList();
    }

    RecordKeys keys(ConfiguredKind<?, ?, ?> kind) {
        return policies(kind).keys;
    }

    /** The keys that belong to no policy. */
    RecordKeys generalKeys() {
        return generalKeys;
    }

    /** Whether the policies of a kind have a key. */
    public boolean isKey(ConfiguredKind<?, ?, ?> kind, String key) {
        return keys(kind).find(key) != null;
    }

    /** The first property of each policy that is configured in a file, by the policy's name as it is written there. */
    Map<String, ConfigurationProperty> inFiles(ConfiguredKind<?, ?, ?> kind) {
        return policies(kind).inFiles;
    }

    /** The names of policies that only environment variables and system properties configure. */
    Set<String> inEnvironment(ConfiguredKind<?, ?, ?> kind) {
        return policies(kind).inEnvironment;
    }

    /** What is configured for a policy by key. */
    Map<String, Setting> settings(ConfiguredKind<?, ?, ?> kind, String name) {
        Policies policies = policies(kind);
        return policies.settings.computeIfAbsent(
                name, key -> configured.settings(PropertyNames.of(kind.prefix(), name), policies.keys));
    }

    /** What is configured and has no effect. */
    List<Unknown> unknown() {
        return unknown;
    }

    /** What stands one edit away from {@code resilience}, or two edits and has the name of a kind or a general key behind it. */
    List<ConfigurationPropertyName> nearRoot() {
        return configured.nearRoot().stream()
                .filter(name -> kind(name) != null
                        || generalKeys.find(ConfiguredProperties.key(name, KIND)) != null
                        || NearestNames.distance(name.getElement(0, Form.UNIFORM), ConfiguredProperties.ROOT) == 1)
                .toList();
    }
}
