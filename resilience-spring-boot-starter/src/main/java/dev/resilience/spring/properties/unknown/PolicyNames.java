package dev.resilience.spring.properties.unknown;

import dev.resilience.policy.PropertyNames;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.aop.policy.WrittenNames;
import dev.resilience.spring.properties.ConfiguredProperties;
import dev.resilience.spring.properties.KnownKeys;
import dev.resilience.spring.properties.Variables;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/** Answers for names in annotations that no live policy has, by what is written in the properties. */
public final class PolicyNames implements WrittenNames {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(KnownKeys.ROOT);

    private final Environment environment;
    private final ConfiguredProperties keys;
    private final UnknownKeys unknown;
    private final StartupMistakes mistakes;
    private final Set<String> broken = ConcurrentHashMap.newKeySet();

    /**
     * @param unknown the keys that nothing reads, one of which may be what is missed
     * @param mistakes gets what explains a name
     */
    public PolicyNames(
            Environment environment, ConfiguredProperties keys, UnknownKeys unknown, StartupMistakes mistakes) {
        this.environment = environment;
        this.keys = keys;
        this.unknown = unknown;
        this.mistakes = mistakes;
    }

    /** What is written, by which the names are judged. */
    public ConfiguredProperties keys() {
        return keys;
    }

    public void breaks(PolicyKind kind, String name) {
        broken.add(kind.id() + "/" + name);
    }

    /** Nothing of the kind can be made, because what all of them need is a mistake. */
    public void breaks(PolicyKind kind) {
        broken.add(kind.id());
    }

    public boolean isBroken(PolicyKind kind) {
        return broken.contains(kind.id());
    }

    @Override
    public boolean isBroken(PolicyKind kind, String name) {
        return isBroken(kind) || broken.contains(kind.id() + "/" + name);
    }

    @Override
    public @Nullable String inEnvironment(PolicyKind kind, String name) {
        return keys.policiesOfEnvironment(kind).stream()
                .filter(policy -> KnownKeys.uniform(policy).equals(KnownKeys.uniform(name)))
                .findFirst()
                .orElse(null);
    }

    @Override
    public String cure(PolicyKind kind, String name, Collection<String> live) {
        if (kind.presets().containsKey(name)) {
            return "'" + name + "' is a preset, which a policy can start from and a method cannot name. Write a policy "
                    + "that starts from it and has its name or another: configure the policy under '" + kind.prefix()
                    + "." + name + "':\n\n    " + kind.prefix() + "." + name + ":\n      extends: " + name;
        }
        if (name.isBlank()) {
            return "Write the name of a policy. " + NearestNames.suggest(name, live);
        }
        if (live.contains(name.strip())) {
            return "Remove the blanks around the name: '" + name.strip() + "'.";
        }
        ConfigurationPropertyName explains = unknown.explains(kind, name);
        if (explains != null) {
            return "Correct '" + explains + "' first, which is not known either: it is probably where the policy is.";
        }
        Resilience4jTranslation leftOver = Resilience4jKeys.leftOver(environment);
        if (leftOver != null && leftOver.contains(kind.id(), name)) {
            mistakes.add("resilience4j", Resilience4jKeys.toMistake(leftOver));
            return "Write it below 'resilience': the mistake about keys under 'resilience4j' has the YAML to paste.";
        }
        String cure = "Correct the name in the annotation, or configure the policy under '" + kind.prefix() + "." + name
                + "'. ";
        return cure + hint(kind, name, live);
    }

    private String hint(PolicyKind kind, String name, Collection<String> live) {
        String stray = outsideOfRoot(kind, name);
        if (stray != null) {
            return "There is a '" + stray + "', but not below 'resilience'.";
        }
        List<String> squeezed = live.stream()
                .filter(policy -> !policy.equals(name) && squeeze(policy).equals(squeeze(name)))
                .toList();
        boolean unusual = !PropertyNames.isPlain(name);
        if (unusual && !squeezed.isEmpty()) {
            return "A name with blanks, dots or other unusual signs is written in brackets: \"[" + name + "]\"; '"
                    + squeezed.get(0) + "' is what is left of it without them.";
        }
        String variable = variable(kind, name);
        if (variable != null) {
            return "The environment variable '" + variable + "' cannot name it, because the name has more than one "
                    + "word: write \"[" + name + "]\": {} under '" + kind.prefix() + "' in a file too.";
        }
        return ofOtherKinds(kind, name) + NearestNames.suggest(name, live);
    }

    /** The kinds in which the name is known, and does not help. */
    private String ofOtherKinds(PolicyKind kind, String name) {
        return keys.known().kinds().stream()
                .filter(other -> other != kind && keys.policies(other).containsKey(name))
                .map(other -> "There is " + (other.id().matches("[aeiou].*") ? "an " : "a ") + other.id() + " policy '"
                        + name + "', but this needs '" + kind.prefix() + "." + name + "'. ")
                .findFirst()
                .orElse("");
    }

    private static String squeeze(String name) {
        return name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
    }

    /** An environment variable that is meant for the policy. */
    private @Nullable String variable(PolicyKind kind, String name) {
        return Variables.of(environment).stream()
                .filter(variable -> Variables.prefixes(kind, name).stream().anyMatch(variable::startsWith))
                .findFirst()
                .orElse(null);
    }

    /** Where a policy is written, but not below {@code resilience}; {@code null} if it is not. */
    private @Nullable String outsideOfRoot(PolicyKind kind, String policy) {
        String wanted = "." + KnownKeys.uniform(kind.id() + "." + policy);
        return keys.sources().stream()
                .filter(ConfiguredProperties::isStrict)
                .flatMap(PolicyNames::namesIn)
                .filter(name -> !ROOT.isAncestorOf(name))
                .map(name -> beginning(name, wanted))
                .filter(beginning -> !beginning.isEmpty())
                .findFirst()
                .orElse(null);
    }

    private static Stream<ConfigurationPropertyName> namesIn(ConfigurationPropertySource source) {
        return source instanceof IterableConfigurationPropertySource iterable ? iterable.stream() : Stream.empty();
    }

    /** The name up to the element with which the wanted text ends. */
    private static String beginning(ConfigurationPropertyName name, String wanted) {
        for (int length = 1; length <= name.getNumberOfElements(); length++) {
            ConfigurationPropertyName beginning = name.chop(length);
            if (("." + KnownKeys.uniform(beginning.toString())).endsWith(wanted)) {
                return beginning.toString();
            }
        }
        return "";
    }
}
