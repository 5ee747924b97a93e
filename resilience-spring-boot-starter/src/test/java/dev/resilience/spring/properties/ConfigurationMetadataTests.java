package dev.resilience.spring.properties;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.KebabCase;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.autoconfigure.KindsOfTheLibrary;
import dev.resilience.spring.autoconfigure.Metadata;
import dev.resilience.spring.kind.ConfiguredKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;

/** What an IDE knows of the configuration: every key, what it does, and its default. */
class ConfigurationMetadataTests {

    private static final Pattern CLASS = Pattern.compile("[\\w$]+(\\.[\\w$]+)+");
    private static final Map<String, JsonNode> PROPERTIES = Metadata.section("properties");
    private static final Map<String, JsonNode> HINTS = Metadata.section("hints");

    private static final List<ConfiguredKind<?, ?, ?>> KINDS = KindsOfTheLibrary.all();

    /** All names of keys, those of policies for the policy {@code default}. */
    private static Set<String> knownNames() {
        Set<String> names = new TreeSet<>();
        RecordKeys.of(ResilienceProperties.class).types().keySet().forEach(key -> names.add("resilience." + key));
        for (ConfiguredKind<?, ?, ?> kind : KINDS) {
            RecordKeys.of(kind).types().keySet().forEach(key -> names.add(kind.prefix() + ".default." + key));
        }
        return names;
    }

    @Nested
    class EveryKey {

        @Test
        void hasAnEntryWithADescriptionThatIsASentence() {
            assertThat(knownNames()).hasSizeGreaterThan(60).allSatisfy(name -> {
                assertThat(PROPERTIES).containsKey(name);
                assertThat(PROPERTIES.get(name).path("description").asString(""))
                        .as(name)
                        .matches("(?s)[A-Z].{10,}\\.");
            });
        }

        @Test
        void ofAnEntryIsAKeyThatIsRead() {
            Set<String> names = knownNames();
            Set<String> maps = KINDS.stream().map(ConfiguredKind::prefix).collect(Collectors.toSet());
            assertThat(PROPERTIES.keySet())
                    .filteredOn(name -> name.startsWith("resilience."))
                    .allMatch(
                            name -> names.contains(name) || maps.contains(name) || name.equals("resilience.bindings"));
        }

        @Test
        void ofAPolicyHasTheTypeOfItsComponent() {
            for (ConfiguredKind<?, ?, ?> kind : KINDS) {
                RecordKeys.of(kind.policyType())
                        .types()
                        .forEach((key, type) -> assertThat(PROPERTIES
                                        .get(kind.prefix() + ".default." + key)
                                        .get("type")
                                        .asString())
                                .as(key)
                                .isEqualTo(typeOf(type)));
            }
        }

        /** The type of what is written: sizes are the only longs, and functions are named. */
        private static String typeOf(ResolvableType type) {
            Class<?> written = type.toClass() == long.class ? DataSize.class : type.toClass();
            if (RecordKeys.isFunction(type)) {
                return String.class.getName();
            }
            return written.isPrimitive() || written == DataSize.class
                    ? ClassUtils.resolvePrimitiveIfNecessary(written).getName()
                    : type.getType().getTypeName();
        }

        @Test
        void hasATypeThatExists() {
            assertThat(PROPERTIES.values())
                    .filteredOn(entry -> entry.get("name").asString().startsWith("resilience."))
                    .allSatisfy(entry -> {
                        Stream<String> classes = CLASS.matcher(entry.get("type").asString())
                                .results()
                                .map(MatchResult::group);
                        assertThat(classes)
                                .isNotEmpty()
                                .allMatch(name ->
                                        ClassUtils.isPresent(name, getClass().getClassLoader()));
                    });
        }
    }

    @Nested
    class EveryKind {

        @Test
        void isAMapOfPoliciesByName() {
            KINDS.forEach(kind -> {
                String name = kind.prefix();
                assertThat(PROPERTIES.get(name).get("type").asString())
                        .isEqualTo("java.util.Map<java.lang.String,"
                                + kind.policyType().getName() + ">");
                assertThat(PROPERTIES.get(name).get("description").asString()).isNotBlank();
                assertThat(HINTS.get(name + ".keys").toString()).contains("\"default\"", "\"any\"");
            });
        }
    }

    @Nested
    class Defaults {

        @Test
        void areThereWhereverAPolicyHasOne() {
            KINDS.forEach(kind -> RecordKeys.of(kind.policyType())
                    .values(kind.defaultPolicy())
                    .forEach((key, value) -> assertThat(PROPERTIES
                                    .get(kind.prefix() + ".default." + key)
                                    .has("defaultValue"))
                            .as(kind.id() + " " + key)
                            .isEqualTo(value != null)));
        }

        @Test
        void bindToTheDefaultPolicies() {
            ConfigurationPropertySource source = new MapConfigurationPropertySource(written());
            PolicyBinder binder = new PolicyBinder(
                    new PolicyTable(new ConfiguredProperties(List.of(source)), KINDS),
                    new AnnotatedPolicies((kind, key) -> true, text -> text),
                    new PolicyBeans(new DefaultListableBeanFactory()),
                    PlaceholdersResolver.NONE,
                    new StartupProblems(),
                    (kind, name) -> {});
            assertThat(KINDS)
                    .allSatisfy(
                            kind -> assertThat(binder.bind(kind).get("default")).isEqualTo(kind.defaultPolicy()));
        }

        @Test
        void bindToTheDefaultsOfEverythingElse() {
            ResilienceProperties expected = ResilienceProperties.defaults();
            assertThat(written()).containsKeys("resilience.order", "resilience.advice-order", "resilience.enabled");
            assertThat(new Binder(new MapConfigurationPropertySource(written()))
                            .bind("resilience", ResilienceProperties.class)
                            .get())
                    .usingRecursiveComparison()
                    .isEqualTo(expected);
        }

        /** The defaults as somebody would write them. */
        private static Map<String, String> written() {
            Map<String, String> written = new LinkedHashMap<>();
            PROPERTIES.forEach((name, entry) -> {
                JsonNode value = entry.path("defaultValue");
                if (value.isArray()) {
                    written.put(
                            name, value.valueStream().map(JsonNode::asString).collect(Collectors.joining(",")));
                } else if (!value.isMissingNode()) {
                    written.put(name, value.asString());
                }
            });
            written.keySet().removeIf(name -> !name.startsWith("resilience."));
            return written;
        }
    }

    @Nested
    class Hints {

        @Test
        void belongToAProperty() {
            assertThat(HINTS.keySet())
                    .allMatch(
                            name -> PROPERTIES.containsKey(name) || PROPERTIES.containsKey(name.replace(".keys", "")));
        }

        @Test
        void describeEveryValue() {
            assertThat(HINTS.values().stream()
                            .flatMap(hint -> hint.path("values").valueStream()))
                    .isNotEmpty()
                    .allSatisfy(value ->
                            assertThat(value.path("description").asString("")).isNotBlank());
        }

        @Test
        void offerEveryConstantOfAnEnumThatMayBeConfigured() throws ClassNotFoundException {
            for (JsonNode property : PROPERTIES.values()) {
                String name = property.get("name").asString();
                String typeName = property.get("type").asString();
                Class<?> type = typeName.contains("<") ? Object.class : Class.forName(typeName);
                if (name.startsWith("resilience.") && type.isEnum()) {
                    Set<String> constants = Stream.of(type.getEnumConstants())
                            .map(constant -> KebabCase.of(constant.toString().toLowerCase(Locale.ROOT))
                                    .replace('_', '-'))
                            .collect(Collectors.toCollection(TreeSet::new));
                    constants.remove("half-open"); // no state to start in
                    assertThat(values(name)).as(name).isEqualTo(constants);
                }
            }
        }

        @Test
        void offerThePresetsInExtends() {
            assertThat(values("resilience.retry.default.extends"))
                    .isEqualTo(new TreeSet<>(
                            KindsOfTheLibrary.of("retry").presets().keySet()));
        }

        @Test
        void offerTheLayersInOrder() {
            assertThat(values("resilience.order"))
                    .isEqualTo(new TreeSet<>(ResilienceProperties.defaults().order()));
        }

        private static Set<String> values(String name) {
            assertThat(HINTS).containsKey(name);
            return StreamSupport.stream(HINTS.get(name).get("values").spliterator(), false)
                    .map(value -> value.get("value").asString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
