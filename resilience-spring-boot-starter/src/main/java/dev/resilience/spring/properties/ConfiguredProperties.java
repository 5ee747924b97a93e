package dev.resilience.spring.properties;

import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.properties.PoliciesInCode.AnnotationOrigin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Everything that is written under {@code resilience}, and where. */
public final class ConfiguredProperties {

    private static final UnboundElementsSourceFilter STRICT = new UnboundElementsSourceFilter();

    private final List<ConfigurationPropertySource> sources = new ArrayList<>();
    private final Map<PolicyKind, Set<String>> ofEnvironment = new HashMap<>();
    private final KnownKeys known;
    private final @Nullable PoliciesInCode code;
    private @Nullable List<SourceKeys> read;

    public ConfiguredProperties(Iterable<ConfigurationPropertySource> sources, KnownKeys known) {
        this(sources, known, null);
    }

    /**
     * @param code the policies in code, which add to those that are written
     */
    public ConfiguredProperties(
            Iterable<ConfigurationPropertySource> sources, KnownKeys known, @Nullable PoliciesInCode code) {
        for (ConfigurationPropertySource source : sources) {
            this.sources.add(source);
            if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource environment
                    && !Variables.of(environment).isEmpty()) {
                this.sources.add(new UnusualNamesInEnvironment(source));
            }
        }
        if (code != null) {
            this.sources.add(code);
        }
        this.known = known;
        this.code = code;
    }

    /** The policies in code; {@code null} if there are none. */
    public @Nullable PoliciesInCode code() {
        return code;
    }

    /** The place of a value as the object of a sentence: the property, or the attribute of an annotation. */
    String target(ConfigurationPropertyName name) {
        ConfigurationProperty property = find(name);
        return property != null && property.getOrigin() instanceof AnnotationOrigin annotation
                ? annotation.target()
                : "'" + name + "'";
    }

    /** The names below {@code resilience}, source by source where there are any; read when they are needed first. */
    private List<SourceKeys> read() {
        if (read == null) {
            read = sources.stream()
                    .map(SourceKeys::new)
                    .filter(source -> !source.isEmpty())
                    .toList();
        }
        return read;
    }

    /** Binds what is written, property by property. */
    Binder binder(PlaceholdersResolver placeholders) {
        return new Binder(List.copyOf(read()), placeholders);
    }

    /** The value as a text with its placeholders resolved, or {@code null} if there is none. */
    @Nullable
    public String text(ConfigurationPropertyName name, PlaceholdersResolver placeholders) {
        return find(name) == null
                ? null
                : binder(placeholders).bind(name, Bindable.of(String.class)).orElse(null);
    }

    /**
     * The policies of a kind that are configured, by name, and the property under which each is. Environment variables
     * spell every name alike, in capitals and without dashes: they add to a policy that is named elsewhere, or else
     * name one of their own, if it is one word and a known key follows.
     */
    public Map<String, ConfigurationPropertyName> policies(PolicyKind kind) {
        ConfigurationPropertyName prefix = ConfigurationPropertyName.of(kind.prefix());
        Map<String, ConfigurationPropertyName> found = new LinkedHashMap<>();
        collectPolicies(prefix, true, name -> true, found);
        Set<String> inFiles = Set.copyOf(found.keySet());
        collectPolicies(prefix, false, name -> known.isKeyOfPolicy(kind, name), found);
        found.forEach((uniform, name) -> {
            if (!inFiles.contains(uniform)) {
                ofEnvironment.computeIfAbsent(kind, key -> new TreeSet<>()).add(name.getLastElement(Form.ORIGINAL));
            }
        });
        Map<String, ConfigurationPropertyName> policies = new TreeMap<>();
        found.values().forEach(name -> policies.putIfAbsent(name.getLastElement(Form.ORIGINAL), name));
        return policies;
    }

    /** The policies of a kind that are named by environment variables or system properties alone. */
    public Set<String> policiesOfEnvironment(PolicyKind kind) {
        policies(kind);
        return ofEnvironment.getOrDefault(kind, Set.of());
    }

    private void collectPolicies(
            ConfigurationPropertyName prefix,
            boolean strict,
            Predicate<ConfigurationPropertyName> counts,
            Map<String, ConfigurationPropertyName> found) {
        for (SourceKeys source : read()) {
            if (STRICT.apply(source) == strict) {
                source.stream()
                        .filter(prefix::isAncestorOf)
                        .filter(counts)
                        .map(name -> name.subName(prefix.getNumberOfElements()).chop(1))
                        .forEach(name -> found.putIfAbsent(name.getLastElement(Form.UNIFORM), prefix.append(name)));
            }
        }
    }

    public KnownKeys known() {
        return known;
    }

    /** The sources that may say something of a policy. */
    List<SourceKeys> sourcesOf(ConfigurationPropertyName policy) {
        return read().stream().filter(source -> source.mayHave(policy)).toList();
    }

    /** Whether the property is written, as one value or as a list. */
    public boolean contains(ConfigurationPropertyName name) {
        return read().stream().anyMatch(source -> source.has(name));
    }

    /** Property, value and origin, each on a line of its own. A list is described as a whole. */
    public String describe(ConfigurationPropertyName name) {
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
     * is meant, and stands in for a property that is not written.
     */
    public String describe(ConfigurationPropertyName name, @Nullable Object value) {
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
        return origin instanceof AnnotationOrigin annotation
                ? annotation.describe(name)
                : "    Property: " + name + "\n    Value: " + value + "\n    Origin: "
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
        for (SourceKeys source : read()) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return property;
            }
        }
        return null;
    }

    /** Every key under {@code resilience}, in every source but system properties and environment variables. */
    public Stream<ConfigurationPropertyName> strict() {
        return read().stream().filter(source -> STRICT.apply(source)).flatMap(SourceKeys::stream);
    }

    /** Every key under {@code resilience} among the system properties. */
    public Stream<ConfigurationPropertyName> systemProperties() {
        return read().stream()
                .filter(source -> source.getUnderlyingSource() instanceof PropertySource<?> written
                        && written.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME))
                .flatMap(SourceKeys::stream);
    }

    /** Where keys are written, the source that wins first. */
    public List<ConfigurationPropertySource> sources() {
        return sources;
    }

    /** Whether the source is one of those in which every key must be known. */
    public static boolean isStrict(ConfigurationPropertySource source) {
        return STRICT.apply(source);
    }

    /** Whether the property itself is written, be it without a value. */
    public boolean isWritten(ConfigurationPropertyName name) {
        return find(name) != null;
    }

    public boolean hasValue(ConfigurationPropertyName name) {
        return !value(name).isEmpty();
    }

    /** The value as it is written, empty if there is none. */
    public String value(ConfigurationPropertyName name) {
        ConfigurationProperty property = find(name);
        return property == null ? "" : String.valueOf(property.getValue());
    }

    /** Whether anything is written below the name. */
    public boolean hasAnyBelow(ConfigurationPropertyName name) {
        return read().stream().flatMap(SourceKeys::stream).anyMatch(name::isAncestorOf);
    }
}
