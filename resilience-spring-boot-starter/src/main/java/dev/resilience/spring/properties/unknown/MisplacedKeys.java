package dev.resilience.spring.properties.unknown;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.properties.ConfiguredProperties;
import dev.resilience.spring.properties.KnownKeys;
import dev.resilience.spring.properties.unknown.KeyCures.Cure;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** What to do about a key of a policy that this library knows, or has under another name, at a wrong place. */
record MisplacedKeys(ConfiguredProperties keys, KnownKeys known, ForeignKeys foreign) {

    /** Resilience4j writes policies one level further down. */
    private static final Set<String> LEVELS_OF_OTHERS = Set.of("instances", "backends", "configs");

    /** For a key that stands one level too high or too low, or below another kind; {@code null} if it does not. */
    @Nullable
    Cure cure(PolicyKind kind, String policy, String key, ConfigurationPropertyName name) {
        String[] parts = key.split("\\.", -1);
        for (int i = 1; i < parts.length; i++) {
            String rest = String.join(".", Arrays.copyOfRange(parts, i, parts.length));
            String before = String.join(".", Arrays.copyOf(parts, i));
            String written = known.find(kind, rest);
            ForeignKeys.Entry entry = renamed(kind, rest);
            if (written != null || entry != null) {
                return tooLow(kind, policy, before, written, entry, name);
            }
        }
        List<String> near = NearestNames.nearest(key, known.of(kind));
        boolean isDeeper = near.stream().anyMatch(candidate -> candidate.endsWith("." + key));
        for (PolicyKind other : known.kinds()) {
            String written = known.find(other, key);
            if (written != null && !isDeeper) {
                return new Cure(
                        name.toString(),
                        KeyCures.UNKNOWN,
                        "Correct or remove the key. '" + written + "' is a key of '" + other.prefix() + "': write '"
                                + other.prefix() + "." + policy + "." + written + "' if that is meant."
                                + (near.isEmpty() ? "" : " " + NearestNames.suggest(key, near)));
            }
        }
        return null;
    }

    private Cure tooLow(
            PolicyKind kind,
            String policy,
            String before,
            @Nullable String written,
            ForeignKeys.@Nullable Entry entry,
            ConfigurationPropertyName name) {
        String right = written != null ? written : String.valueOf(entry == null ? null : entry.ours());
        if (LEVELS_OF_OTHERS.contains(policy)) {
            String example = kind.prefix() + "." + (before.equals("default") ? "default" : before);
            return new Cure(
                    kind.prefix() + "." + policy,
                    "Policies stand one level too low, below '" + policy + "' as in Resilience4j",
                    "Write policies directly below '" + kind.prefix() + "', such as '" + example + "', without '"
                            + policy
                            + "'. What all of them start from is the policy 'default', and 'extends' names another one."
                            + (entry == null ? "" : " " + entry.cure(keys.value(name))));
        }
        if (known.isGroupOfKeys(name.chop(name.getNumberOfElements() - 1)) && written != null) {
            return new Cure(
                    name.toString(),
                    KeyCures.UNKNOWN,
                    "Move the key one level up: '" + kind.prefix() + "." + policy + "." + right + "' stands beside '"
                            + before + "', not below it.");
        }
        if (policy.equals("default")) {
            return new Cure(
                    kind.prefix() + ".default." + before,
                    "A policy stands below 'default'",
                    "Write '" + before + "' beside 'default': '" + kind.prefix() + "." + before + "." + right
                            + "'. It starts from 'default' all the same.");
        }
        return new Cure(
                kind.prefix() + "." + policy + "." + before,
                KeyCures.UNKNOWN,
                "If '" + policy + "." + before
                        + "' is the name of a policy, write it in brackets, because it has a dot: "
                        + "\"[" + policy + "." + before + "]\". If not, '" + right + "' stands directly below '"
                        + kind.prefix() + "."
                        + policy + "'.");
    }

    /** What another library's key is here; {@code null} for names that this library has too, of whichever kind. */
    ForeignKeys.@Nullable Entry renamed(PolicyKind kind, String key) {
        ForeignKeys.Entry entry = foreign.find(kind.id(), key);
        boolean isOurs = entry != null
                && (entry.foreign().equals(entry.ours())
                        || (entry.isOfAnnotation()
                                && known.kinds().stream().anyMatch(other -> known.find(other, key) != null)));
        return isOurs ? null : entry;
    }
}
