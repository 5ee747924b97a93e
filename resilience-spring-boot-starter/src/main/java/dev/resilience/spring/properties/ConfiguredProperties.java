package dev.resilience.spring.properties;

import dev.resilience.spring.NearestNames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Everything that is configured under {@code resilience}, source by source. The names of each source are read once. They are compared
 * without dashes and case; those of environment variables, which have no dots either, by letters and digits alone.
 */
public final class ConfiguredProperties {

    static final String ROOT = "resilience";

    private static final ConfigurationPropertyName ROOT_NAME = ConfigurationPropertyName.of(ROOT);
    private static final UnboundElementsSourceFilter STRICT = new UnboundElementsSourceFilter();

    private final List<Source> sources = new ArrayList<>();
    private final List<ConfigurationPropertyName> nearRoot = new ArrayList<>();

    /**
     * A source of properties.
     *
     * @param strict whether every key must be known; those of system properties and environment variables need not be
     * @param isEnvironment whether its names are those of environment variables, read as if underscores were dots
     * @param properties those under the root; empty if the source does not list its names
     * @param settings the same by their names
     */
    record Source(
            ConfigurationPropertySource source,
            boolean strict,
            boolean isEnvironment,
            List<ConfigurationProperty> properties,
            Map<String, Setting> settings) {

        private void add(ConfigurationProperty property) {
            ConfigurationPropertyName name = property.getName();
            properties.add(property);
            settings.computeIfAbsent(comparable(path(name)), path -> new Setting(path, !strict))
                    .put(index(name), property.getValue(), property.getOrigin());
        }

        private String comparable(String path) {
            return isEnvironment ? squeeze(path) : RecordKeys.uniform(path);
        }

        private void collect(ConfigurationPropertyName parent, RecordKeys keys, BiConsumer<String, Setting> found) {
            boolean listsNames = source instanceof IterableConfigurationPropertySource;
            String path = comparable(parent.equals(ROOT_NAME) ? "/" : path(parent) + "/");
            for (String key : keys.types().keySet()) {
                if (listsNames) {
                    String known = keys.path(key);
                    Setting setting = settings.get(path + (isEnvironment ? known.replace("/", "") : known));
                    if (setting != null) {
                        found.accept(key, setting);
                    }
                } else {
                    ConfigurationProperty property = source.getConfigurationProperty(parent.append(key));
                    if (property != null) {
                        found.accept(key, Setting.of(key, property.getValue(), property.getOrigin()));
                    }
                }
            }
        }
    }

    public ConfiguredProperties(Environment environment) {
        this(ConfigurationPropertySources.get(environment));
    }

    ConfiguredProperties(Iterable<ConfigurationPropertySource> all) {
        for (ConfigurationPropertySource source : all) {
            boolean isEnvironment = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
            boolean strict = !isEnvironment && STRICT.apply(source);
            Source read = new Source(source, strict, isEnvironment, new ArrayList<>(), new LinkedHashMap<>());
            if (source instanceof IterableConfigurationPropertySource listed) {
                readNames(listed, read);
            }
            if (!read.properties.isEmpty()
                    || (!(source instanceof IterableConfigurationPropertySource)
                            && source.containsDescendantOf(ROOT_NAME) != ConfigurationPropertyState.ABSENT)) {
                sources.add(read);
            }
        }
    }

    private void readNames(IterableConfigurationPropertySource source, Source read) {
        for (ConfigurationPropertyName name : source) {
            if (ROOT_NAME.isAncestorOf(name)) {
                ConfigurationProperty property = source.getConfigurationProperty(name);
                if (property != null) {
                    read.add(property);
                }
            } else if (read.strict && name.getNumberOfElements() > 1 && isNearRoot(name.getElement(0, Form.UNIFORM))) {
                nearRoot.add(name);
            }
        }
    }

    private static boolean isNearRoot(String first) {
        return Math.abs(first.length() - ROOT.length()) <= 2
                && !first.equals("resilience4j")
                && NearestNames.distance(first, ROOT) <= 2;
    }

    /** Whether nothing is configured, and nothing begins almost like it. */
    public boolean isEmpty() {
        return sources.isEmpty() && nearRoot.isEmpty();
    }

    /** Whether there are properties of a kind, or may be. */
    public boolean mayHave(String kind) {
        return sources.stream()
                .anyMatch(each ->
                        each.source.containsDescendantOf(ROOT_NAME.append(kind)) != ConfigurationPropertyState.ABSENT);
    }

    /** Those that have properties, or may have, the one that wins first. */
    List<Source> sources() {
        return sources;
    }

    /** What begins almost like {@code resilience}. */
    List<ConfigurationPropertyName> nearRoot() {
        return nearRoot;
    }

    /**
     * What is configured below a property, by key.
     *
     * @param property as the documentation writes it: {@code resilience.retry.orders}, {@code resilience.retry[a.b]}
     */
    Map<String, Setting> settings(String property, RecordKeys keys) {
        Map<String, Setting> settings = new LinkedHashMap<>();
        ConfigurationPropertyName parent = ConfigurationPropertyName.adapt(property, '.');
        for (Source source : sources) {
            source.collect(parent, keys, (key, found) -> {
                if (keys.isList(key) || !found.isList()) {
                    settings.putIfAbsent(key, found.as(property + "." + key));
                }
            });
        }
        return settings;
    }

    /**
     * What is configured of each binding, by keys without dashes. Spring Boot takes a list as a whole from the first source that has
     * any of it.
     */
    public Collection<Map<String, ConfigurationProperty>> bindings() {
        SortedMap<Integer, Map<String, ConfigurationProperty>> bindings = new TreeMap<>();
        for (int i = 0; i < sources.size() && bindings.isEmpty(); i++) {
            for (ConfigurationProperty property : sources.get(i).properties) {
                ConfigurationPropertyName name = property.getName();
                if (isOfBinding(name)) {
                    bindings.computeIfAbsent(
                                    Integer.valueOf(name.getElement(2, Form.ORIGINAL)), n -> new LinkedHashMap<>())
                            .put(squeeze(key(name, 3)), property);
                }
            }
        }
        return bindings.values();
    }

    /** Whether it is the property of a key of a binding: {@code resilience.bindings[0].pointcut}. */
    static boolean isOfBinding(ConfigurationPropertyName name) {
        return name.getNumberOfElements() > 3
                && name.isNumericIndex(2)
                && name.getElement(1, Form.UNIFORM).equals("bindings");
    }

    /** The number of a list's element; {@link Setting#WHOLE} for what is none. */
    private static int index(ConfigurationPropertyName name) {
        int last = name.getNumberOfElements() - 1;
        return last > 0 && name.isNumericIndex(last)
                ? Integer.parseInt(name.getElement(last, Form.ORIGINAL))
                : Setting.WHOLE;
    }

    /** The elements from an index on, without the number of a list's element at the end. */
    static String key(ConfigurationPropertyName name, int from) {
        return elements(name, from, ".");
    }

    /** The elements below the root, apart from each other as dots would not be: a name may have dots in it. */
    private static String path(ConfigurationPropertyName name) {
        return "/" + elements(name, 1, "/");
    }

    private static String elements(ConfigurationPropertyName name, int from, String separator) {
        int end = name.getNumberOfElements() - (index(name) < 0 ? 0 : 1);
        return IntStream.range(from, end)
                .mapToObj(i -> name.getElement(i, Form.ORIGINAL))
                .collect(Collectors.joining(separator));
    }

    /** A name by its letters and digits alone. */
    static String squeeze(String name) {
        StringBuilder squeezed = new StringBuilder();
        for (char sign : name.toLowerCase(Locale.ROOT).toCharArray()) {
            if (Character.isLetterOrDigit(sign)) {
                squeezed.append(sign);
            }
        }
        return squeezed.toString();
    }
}
