package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;

/** Everything that is written under {@code resilience}, and where. */
final class ConfiguredKeys {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("resilience");
    private static final UnboundElementsSourceFilter STRICT = new UnboundElementsSourceFilter();

    private final List<ConfigurationPropertySource> sources = new ArrayList<>();

    ConfiguredKeys(Iterable<ConfigurationPropertySource> sources) {
        sources.forEach(this.sources::add);
    }

    /**
     * The names under which policies of a kind are configured. Environment variables spell every name alike, in
     * capitals and without dashes: they add to a policy that is named elsewhere, or else name one of their own.
     */
    Set<String> policyNames(PolicyKind kind) {
        ConfigurationPropertyName prefix = ConfigurationPropertyName.of(kind.prefix());
        Map<String, String> names = new LinkedHashMap<>();
        collectNames(prefix, true, names);
        collectNames(prefix, false, names);
        return new TreeSet<>(names.values());
    }

    private void collectNames(ConfigurationPropertyName prefix, boolean strict, Map<String, String> names) {
        for (ConfigurationPropertySource source : sources) {
            if (source instanceof IterableConfigurationPropertySource iterable && STRICT.apply(source) == strict) {
                iterable.stream()
                        .filter(prefix::isAncestorOf)
                        .map(name -> name.subName(prefix.getNumberOfElements()))
                        .forEach(name -> names.putIfAbsent(uniform(name), name.getElement(0, Form.ORIGINAL)));
            }
        }
    }

    private static String uniform(ConfigurationPropertyName name) {
        return name.getElement(0, Form.UNIFORM);
    }

    boolean contains(ConfigurationPropertyName name) {
        return find(name) != null;
    }

    /** Property, value and origin, each on a line of its own. */
    String describe(ConfigurationPropertyName name) {
        return describe(name, null);
    }

    /** As {@link #describe(ConfigurationPropertyName)}, with a value for a property that nobody wrote. */
    String describe(ConfigurationPropertyName name, @Nullable Object effectiveValue) {
        ConfigurationProperty property = find(name);
        if (property == null) {
            return "    Property: " + name + "\n    Value: " + effectiveValue + " (nowhere written, so the default)";
        }
        return "    Property: " + name + "\n    Value: " + property.getValue() + "\n    Origin: "
                + (property.getOrigin() == null ? "unknown" : property.getOrigin());
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
    void refuseUnknown(KnownKeys known) {
        for (ConfigurationPropertySource source : sources) {
            if (source instanceof IterableConfigurationPropertySource iterable && STRICT.apply(source)) {
                iterable.stream()
                        .filter(ROOT::isAncestorOf)
                        .filter(name -> !known.contains(name))
                        .findFirst()
                        .ifPresent(name -> refuse(name, known));
            }
        }
    }

    private void refuse(ConfigurationPropertyName name, KnownKeys known) {
        throw new ResilienceConfigurationException(
                "A key under 'resilience' is not known:\n\n" + describe(name),
                "Correct or remove the key. " + NearestNames.suggest(known.unknownPart(name), known.candidates(name)));
    }
}
