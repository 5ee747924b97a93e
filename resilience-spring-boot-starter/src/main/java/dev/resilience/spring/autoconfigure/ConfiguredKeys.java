package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.boot.origin.Origin;

/** Everything that is written under {@code resilience}, and where. */
final class ConfiguredKeys {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(KnownKeys.ROOT);
    private static final UnboundElementsSourceFilter STRICT = new UnboundElementsSourceFilter();

    private final List<ConfigurationPropertySource> sources = new ArrayList<>();
    private final KnownKeys known;

    ConfiguredKeys(Iterable<ConfigurationPropertySource> sources, KnownKeys known) {
        sources.forEach(this.sources::add);
        this.known = known;
    }

    /**
     * Binds what is written. A policy without keys ({@code payments: {}}) is there as an empty text, which is hidden
     * from the binder: it could not make a policy of a text.
     */
    Binder binder(PlaceholdersResolver placeholders) {
        return new Binder(
                sources.stream()
                        .map(source -> source.filter(name -> !known.isGroup(name)))
                        .toList(),
                placeholders);
    }

    /**
     * The policies of a kind that are configured, by name, and the property under which each is. Environment variables
     * spell every name alike, in capitals and without dashes: they add to a policy that is named elsewhere, or else
     * name one of their own, if it is one word and a known key follows.
     */
    Map<String, ConfigurationPropertyName> policies(PolicyKind kind) {
        ConfigurationPropertyName prefix = ConfigurationPropertyName.of(kind.prefix());
        Map<String, ConfigurationPropertyName> found = new LinkedHashMap<>();
        collectPolicies(prefix, true, name -> true, found);
        collectPolicies(prefix, false, name -> known.isKeyOfPolicy(kind, name), found);
        Map<String, ConfigurationPropertyName> policies = new TreeMap<>();
        found.values().forEach(name -> policies.putIfAbsent(name.getLastElement(Form.ORIGINAL), name));
        return policies;
    }

    private void collectPolicies(
            ConfigurationPropertyName prefix,
            boolean strict,
            Predicate<ConfigurationPropertyName> counts,
            Map<String, ConfigurationPropertyName> found) {
        for (ConfigurationPropertySource source : sources) {
            if (source instanceof IterableConfigurationPropertySource iterable && STRICT.apply(source) == strict) {
                iterable.stream()
                        .filter(prefix::isAncestorOf)
                        .filter(counts)
                        .map(name -> name.subName(prefix.getNumberOfElements()).chop(1))
                        .forEach(name -> found.putIfAbsent(name.getLastElement(Form.UNIFORM), prefix.append(name)));
            }
        }
    }

    /** Whether somebody wrote the property, as one value or as a list. */
    boolean contains(ConfigurationPropertyName name) {
        return find(name) != null || !elements(name).isEmpty();
    }

    /** Property, value and origin, each on a line of its own. A list is described as a whole. */
    String describe(ConfigurationPropertyName name) {
        List<ConfigurationProperty> elements = elements(name);
        if (elements.isEmpty()) {
            return describe(name, null);
        }
        String list = elements.stream()
                .map(element -> String.valueOf(element.getValue()))
                .collect(Collectors.joining(", "));
        return describe(name, list, elements.get(0).getOrigin());
    }

    /**
     * As {@link #describe(ConfigurationPropertyName)}, with the value that was read: it tells which element of a list
     * is meant, and stands in for a property that nobody wrote.
     */
    String describe(ConfigurationPropertyName name, @Nullable Object value) {
        ConfigurationProperty written = find(name);
        for (ConfigurationProperty element : elements(name)) {
            boolean meant = String.valueOf(element.getValue()).equals(String.valueOf(value));
            written = written == null || meant ? element : written;
        }
        return written == null
                ? "    Property: " + name + "\n    Value: " + value + " (nowhere written, so the default)"
                : describe(written.getName(), written.getValue(), written.getOrigin());
    }

    private static String describe(ConfigurationPropertyName name, @Nullable Object value, @Nullable Origin origin) {
        return "    Property: " + name + "\n    Value: " + value + "\n    Origin: "
                + (origin == null ? "unknown" : origin);
    }

    /** Whether the property has several values in one text, so that its value alone does not tell which is meant. */
    boolean isJoinedList(ConfigurationPropertyName name) {
        ConfigurationProperty property = find(name);
        return property != null && String.valueOf(property.getValue()).indexOf(',') >= 0;
    }

    private List<ConfigurationProperty> elements(ConfigurationPropertyName list) {
        List<ConfigurationProperty> elements = new ArrayList<>();
        ConfigurationProperty element = find(list.append("[0]"));
        while (element != null) {
            elements.add(element);
            element = find(list.append("[" + elements.size() + "]"));
        }
        return elements;
    }

    private @Nullable ConfigurationProperty find(ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : sources) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return property;
            }
        }
        return null;
    }

    /** Fails on the first key that nothing reads, in every source but system properties and environment variables. */
    void refuseUnknown() {
        for (ConfigurationPropertySource source : sources) {
            if (source instanceof IterableConfigurationPropertySource iterable && STRICT.apply(source)) {
                iterable.stream()
                        .filter(ROOT::isAncestorOf)
                        .filter(name -> !known.contains(name) || (known.isGroup(name) && hasValue(name)))
                        .findFirst()
                        .ifPresent(this::refuse);
            }
        }
    }

    private boolean hasValue(ConfigurationPropertyName name) {
        ConfigurationProperty property = find(name);
        return property != null && !String.valueOf(property.getValue()).isEmpty();
    }

    private void refuse(ConfigurationPropertyName name) {
        String key = known.keyWithoutPolicy(name);
        if (key != null) {
            String kind = ROOT.append(name.getElement(1, Form.ORIGINAL)).toString();
            throw new ResilienceConfigurationException(
                    "A key stands where the name of a policy should be:\n\n" + describe(name),
                    "Write '" + kind + ".<name>." + key + "' for one policy, or '" + kind + ".default." + key
                            + "' for all.");
        }
        if (known.isGroup(name)) {
            throw new ResilienceConfigurationException(
                    "A value stands where " + (name.getNumberOfElements() == 2 ? "policies" : "the keys of a policy")
                            + " should be:\n\n" + describe(name),
                    "Remove the value, and write keys below '" + name + "'.");
        }
        if (known.isOfOtherVersion(name)) {
            throw new ResilienceConfigurationException(
                    "This version does not have a key under 'resilience' that is written:\n\n" + describe(name),
                    "Remove the key: what it asks for would not be done.");
        }
        throw new ResilienceConfigurationException(
                "A key under 'resilience' is not known:\n\n" + describe(name),
                "Correct or remove the key. " + NearestNames.suggest(known.unknownPart(name), known.candidates(name)));
    }
}
