package dev.resilience.spring.properties.unknown;

import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.properties.ConfiguredProperties;
import dev.resilience.spring.properties.KnownKeys;
import dev.resilience.spring.properties.PoliciesInCode;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.env.EnumerablePropertySource;

/**
 * One thing under two spellings: names of policies that differ by dashes and case only, and a key that one file has
 * twice. Relaxed binding takes them for one, and one of the two values has no effect.
 */
public final class Spellings {

    private final ConfiguredProperties keys;
    private final BiConsumer<PolicyKind, String> broken;
    private final Map<String, Place> policies = new HashMap<>();

    /** @param broken hears of every policy that has two spellings, under both */
    public Spellings(ConfiguredProperties keys, BiConsumer<PolicyKind, String> broken) {
        this.keys = keys;
        this.broken = broken;
    }

    /** Where a policy is named. */
    private interface Place {

        String policy();

        String describe();
    }

    /** In an annotation that gives it values, or as a bean. */
    private record PlaceInCode(String policy, String describe) implements Place {}

    /** A key as it is written, and where. */
    private record PlaceOfKey(EnumerablePropertySource<?> source, String key, String policy) implements Place {

        @Override
        public String describe() {
            Origin origin = OriginLookup.getOrigin(source, key);
            return "    Property: " + key + "\n    Value: " + source.getProperty(key) + "\n    Origin: "
                    + (origin == null ? "unknown" : origin);
        }
    }

    public void collect(StartupMistakes mistakes) {
        for (ConfigurationPropertySource source : keys.sources()) {
            if (ConfiguredProperties.isStrict(source)
                    && source.getUnderlyingSource() instanceof EnumerablePropertySource<?> written) {
                collect(written, mistakes);
            }
        }
        PoliciesInCode code = keys.code();
        if (code != null) {
            keys.known()
                    .kinds()
                    .forEach(kind -> code.names(kind)
                            .forEach(name ->
                                    checkPolicy(kind, new PlaceInCode(name, code.describe(kind, name)), mistakes)));
        }
    }

    private void collect(EnumerablePropertySource<?> source, StartupMistakes mistakes) {
        Map<ConfigurationPropertyName, PlaceOfKey> ofSource = new HashMap<>();
        for (String key : source.getPropertyNames()) {
            if (key.startsWith(KnownKeys.ROOT + ".")) {
                ConfigurationPropertyName name = ConfigurationPropertyName.adapt(key, '.');
                PlaceOfKey place = new PlaceOfKey(source, key, policy(name));
                checkPolicy(keys.known().kind(name), place, mistakes);
                checkKey(place, ofSource.putIfAbsent(name, place), mistakes);
            }
        }
    }

    private String policy(ConfigurationPropertyName name) {
        return keys.known().kind(name) == null || name.getNumberOfElements() <= KnownKeys.POLICY
                ? ""
                : name.getElement(KnownKeys.POLICY, Form.ORIGINAL);
    }

    private void checkPolicy(@Nullable PolicyKind kind, Place place, StartupMistakes mistakes) {
        if (kind == null || place.policy().isEmpty()) {
            return;
        }
        String identity = kind.id() + "/" + KnownKeys.uniform(place.policy());
        Place first = policies.putIfAbsent(identity, place);
        if (first != null && !first.policy().equals(place.policy())) {
            broken.accept(kind, first.policy());
            broken.accept(kind, place.policy());
            mistakes.add(
                    "names alike " + identity,
                    new ResilienceConfigurationException(
                            MistakeKind.POLICIES,
                            "The " + kind.id() + " policies '" + first.policy() + "' and '" + place.policy()
                                    + "' differ by dashes and case only, so they are one:\n\n" + first.describe()
                                    + "\n\n" + place.describe(),
                            "Write the name in one way everywhere, or give one of the two another name."));
        }
    }

    private static void checkKey(PlaceOfKey place, @Nullable PlaceOfKey first, StartupMistakes mistakes) {
        if (first != null && first.policy().equals(place.policy())) {
            mistakes.add(new ResilienceConfigurationException(
                    MistakeKind.KEYS,
                    "A key is written twice, in two spellings, so that one of its values has no effect:\n\n"
                            + first.describe() + "\n\n" + place.describe(),
                    "Remove '" + place.key() + "' or '" + first.key() + "'."));
        }
    }
}
