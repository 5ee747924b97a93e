package dev.resilience.spring.properties;

import static dev.resilience.spring.WarningId.KEY_WITHOUT_EFFECT;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.kind.ConfiguredKind;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** What is configured and read by nothing: a problem in files, and a warning where it may be meant for something else. */
public record UnknownKeys(PolicyTable table) {

    private static final String UNKNOWN = "A key under 'resilience' is not known";
    private static final String ADVICE = "Correct or remove the key. ";

    private static final ConfigurationPropertyName RESILIENCE4J = ConfigurationPropertyName.of("resilience4j");

    /** What reads the keys of Resilience4j: its Spring Boot starters for 4 and for 3, the latter with Spring Cloud too. */
    private static final List<String> READERS_OF_RESILIENCE4J = List.of(
            "io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration",
            "io.github.resilience4j.springboot3.retry.autoconfigure.RetryAutoConfiguration");

    /**
     * What is wrong with a key.
     *
     * @param identity the same for keys that one problem explains: all those below an unknown name
     * @param action what to do about it
     */
    private record Cure(ConfigurationPropertyName identity, String problem, String action) {}

    /** Reports every key that nothing reads, with the nearest ones that are known. */
    public void report(StartupProblems problems, StartupWarnings warnings) {
        Map<ConfigurationPropertyName, StringBuilder> places = new LinkedHashMap<>();
        Map<ConfigurationPropertyName, String> actions = new HashMap<>();
        for (PolicyTable.Unknown unknown : table.unknown()) {
            ConfigurationPropertyName name = unknown.property().getName();
            Cure cure = cure(name);
            if (unknown.strict()) {
                actions.putIfAbsent(cure.identity, cure.action);
                places.computeIfAbsent(cure.identity, first -> new StringBuilder(cure.problem + ":"))
                        .append("\n\n")
                        .append(Setting.describeProperty(unknown.property()));
            } else {
                warnings.add(KEY_WITHOUT_EFFECT.of("The system property '" + name + "' has no effect. " + cure.action));
            }
        }
        places.forEach((identity, place) -> problems.add(new ResilienceConfigurationException(
                ProblemKind.KEYS, place.toString(), actions.getOrDefault(identity, ""))));
        table.nearRoot().stream()
                .collect(Collectors.groupingBy(name -> name.chop(1), LinkedHashMap::new, Collectors.toList()))
                .forEach((prefix, names) -> warnings.add(KEY_WITHOUT_EFFECT.of("The property '" + names.get(0)
                        + "' has no effect. Did you mean '" + ConfiguredProperties.ROOT + "."
                        + names.get(0).subName(1)
                        + "'?"
                        + (names.size() == 1 ? "" : " Below '" + prefix + "' are " + (names.size() - 1) + " more"))));
    }

    /** What is to be said of keys of Resilience4j that nothing reads any more; {@code null} if there are none. */
    public static @Nullable String ofResilience4j(Environment environment) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source.containsDescendantOf(RESILIENCE4J) == ConfigurationPropertyState.PRESENT && !isRead()) {
                return "Keys under 'resilience4j' have no effect, because no Spring Boot starter of Resilience4j is on the "
                        + "class path: resilience-migration writes them below 'resilience' (docs/converter.md).";
            }
        }
        return null;
    }

    private static boolean isRead() {
        return READERS_OF_RESILIENCE4J.stream()
                .anyMatch(reader -> ClassUtils.isPresent(reader, UnknownKeys.class.getClassLoader()));
    }

    private Cure cure(ConfigurationPropertyName name) {
        ConfiguredKind<?, ?, ?> kind = table.kind(name);
        RecordKeys keys = kind == null ? table.generalKeys() : table.keys(kind);
        String key = ConfiguredProperties.key(name, kind == null ? PolicyTable.KIND : PolicyTable.POLICY_KEY);
        String withoutPolicy = kind == null ? null : keys.find(ConfiguredProperties.key(name, PolicyTable.POLICY));
        if (kind != null && withoutPolicy != null) {
            return new Cure(
                    name,
                    "A key stands where the name of a policy should be",
                    "Write '" + kind.prefix() + ".<name>." + withoutPolicy + "' for one policy, or '" + kind.prefix()
                            + ".default." + withoutPolicy + "' for all.");
        }
        if (key.isEmpty() || keys.isGroup(key)) {
            return new Cure(
                    name,
                    "A value stands where keys should be",
                    "Remove the value, and write keys below '" + name + "'.");
        }
        return kind == null ? ofNoKind(name, key) : ofKind(name, keys, key);
    }

    private static Cure ofKind(ConfigurationPropertyName name, RecordKeys keys, String key) {
        String action = ADVICE + NearestNames.suggest(key, keys.types().keySet());
        for (int from = PolicyTable.POLICY_KEY + 1; from < name.getNumberOfElements(); from++) {
            if (keys.find(ConfiguredProperties.key(name, from)) != null) {
                String dotted = ConfiguredProperties.key(name.chop(from), PolicyTable.POLICY);
                return new Cure(
                        name.chop(from),
                        UNKNOWN,
                        action + " If '" + dotted + "' is the name of a policy, write it in brackets, because it has a "
                                + "dot: \"[" + dotted + "]\".");
            }
        }
        return new Cure(name, UNKNOWN, action);
    }

    /** Offers other keys, kinds, and keys of policies with what is missing before them. */
    private Cure ofNoKind(ConfigurationPropertyName name, String key) {
        int length = name.getNumberOfElements();
        Set<String> candidates = new TreeSet<>(table.generalKeys().types().keySet());
        for (ConfiguredKind<?, ?, ?> kind : table.kinds()) {
            if (length <= PolicyTable.POLICY) {
                candidates.add(kind.id());
            }
            for (int from = PolicyTable.KIND; from <= PolicyTable.POLICY_KEY && from < length; from++) {
                String known = table.keys(kind).find(ConfiguredProperties.key(name, from));
                if (known != null) {
                    String policy = from == PolicyTable.KIND ? "default" : name.getElement(from - 1, Form.ORIGINAL);
                    candidates.add(kind.id() + "." + policy + "." + known);
                }
            }
        }
        return new Cure(
                length > PolicyTable.POLICY ? name.chop(PolicyTable.POLICY) : name,
                UNKNOWN,
                ADVICE + NearestNames.suggest(key, candidates));
    }
}
