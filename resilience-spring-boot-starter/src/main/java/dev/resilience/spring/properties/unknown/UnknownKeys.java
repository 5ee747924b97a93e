package dev.resilience.spring.properties.unknown;

import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.properties.ConfiguredProperties;
import dev.resilience.spring.properties.KnownKeys;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * What is written under {@code resilience} and read by nothing. Several keys that one mistake explains, such as all keys
 * below a misspelt kind, are one mistake.
 */
public final class UnknownKeys {

    private static final int MOST_DESCRIBED = 3;

    private final ConfiguredProperties keys;
    private final KnownKeys known;
    private final KeyCures cures;
    private final Map<String, Found> found = new LinkedHashMap<>();

    public UnknownKeys(ConfiguredProperties keys, KnownKeys known) {
        this.keys = keys;
        this.known = known;
        this.cures = new KeyCures(keys, known);
    }

    /** The same mistake at one or more keys. */
    private record Found(String description, String action, List<ConfigurationPropertyName> places) {}

    /** Tells of every key that nothing reads, in every source but system properties and environment variables. */
    public void collect(StartupMistakes mistakes) {
        keys.strict().filter(this::isUnknown).distinct().forEach(this::add);
        found.values().forEach(mistake -> mistakes.add(describe(mistake)));
    }

    /** Warns of every system property that nothing reads: it need not be known, but has no effect. */
    public void warn(StartupWarnings warnings) {
        keys.systemProperties()
                .filter(this::isUnknown)
                .forEach(name -> warnings.add("The system property '" + name + "' has no effect. "
                        + cures.of(name).action()));
    }

    /** The keys among what {@link #collect} found that end in a policy's name or stand below one. */
    @Nullable
    ConfigurationPropertyName explains(PolicyKind kind, String policy) {
        return found.values().stream()
                .flatMap(mistake -> mistake.places().stream())
                .filter(place -> names(place, policy) && isNear(place, kind))
                .findFirst()
                .orElse(null);
    }

    /** A policy's name with dots, written without brackets, is several elements. */
    private static boolean names(ConfigurationPropertyName place, String policy) {
        String written = KnownKeys.uniform(KnownKeys.plain(place, KnownKeys.KIND));
        return ("." + written + ".").contains("." + KnownKeys.uniform(policy) + ".");
    }

    /** Below the kind, or below something else that is spelt like it or has a key of it. */
    private boolean isNear(ConfigurationPropertyName place, PolicyKind kind) {
        PolicyKind written = known.kind(place);
        if (written != null) {
            return written == kind;
        }
        String first = place.getElement(KnownKeys.KIND, Form.ORIGINAL);
        return !NearestNames.nearest(first, List.of(kind.id())).isEmpty()
                || known.find(kind, KnownKeys.plain(place, KnownKeys.POLICY_KEY)) != null
                || known.find(kind, KnownKeys.plain(place, KnownKeys.POLICY)) != null;
    }

    private boolean isUnknown(ConfigurationPropertyName name) {
        if (known.contains(name)) {
            return known.isGroup(name) && keys.hasValue(name);
        }
        return !known.isGroupOfKeys(name) || keys.hasValue(name);
    }

    private void add(ConfigurationPropertyName name) {
        KeyCures.Cure cure = cures.of(name);
        found.computeIfAbsent(cure.identity(), key -> new Found(cure.description(), cure.action(), new ArrayList<>()))
                .places()
                .add(name);
    }

    private ResilienceConfigurationException describe(Found mistake) {
        StringBuilder text = new StringBuilder(mistake.description() + ":");
        List<ConfigurationPropertyName> places = mistake.places();
        places.stream()
                .limit(MOST_DESCRIBED)
                .forEach(place -> text.append("\n\n").append(keys.describe(place)));
        if (places.size() > MOST_DESCRIBED) {
            text.append("\n\n    and ").append(places.size() - MOST_DESCRIBED).append(" more");
        }
        return new ResilienceConfigurationException(MistakeKind.KEYS, text.toString(), mistake.action());
    }
}
