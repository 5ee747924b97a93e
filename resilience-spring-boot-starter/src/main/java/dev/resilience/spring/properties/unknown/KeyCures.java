package dev.resilience.spring.properties.unknown;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.properties.ConfiguredProperties;
import dev.resilience.spring.properties.KnownKeys;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** What to do about a key that nothing reads: the most specific explanation that fits. */
final class KeyCures {

    private static final String UNKNOWN = "A key under 'resilience' is not known";

    /** Resilience4j writes policies one level further down. */
    private static final Set<String> LEVELS_OF_OTHERS = Set.of("instances", "backends", "configs");

    private final ConfiguredProperties keys;
    private final KnownKeys known;
    private final ForeignKeys foreign = new ForeignKeys();

    KeyCures(ConfiguredProperties keys, KnownKeys known) {
        this.keys = keys;
        this.known = known;
    }

    /**
     * What is wrong with a key.
     *
     * @param identity the same for keys that the same mistake explains
     * @param description without the place
     */
    record Cure(String identity, String description, String action) {}

    Cure of(ConfigurationPropertyName name) {
        PolicyKind kind = known.kind(name);
        if (known.isMisplacedList(name)) {
            return ofList(name);
        }
        return kind == null ? ofGeneral(name) : ofPolicy(kind, name);
    }

    private Cure ofList(ConfigurationPropertyName name) {
        int index = 1;
        while (!name.isNumericIndex(index)) {
            index++;
        }
        ConfigurationPropertyName list = name.chop(index);
        boolean isKey = known.contains(list) && !known.isGroup(list);
        return new Cure(
                "list " + list,
                "A list stands where " + (isKey ? "one value" : "a map") + " should be",
                isKey
                        ? "Write the one value after '" + list + ":', without brackets and dashes."
                        : "Write '" + list + "' as a map: its keys without dashes before them.");
    }

    private Cure ofPolicy(PolicyKind kind, ConfigurationPropertyName name) {
        String key = KnownKeys.plain(name, KnownKeys.POLICY_KEY);
        if (known.keyWithoutPolicy(name) != null) {
            return keyWithoutPolicy(kind, name, String.valueOf(known.keyWithoutPolicy(name)));
        }
        ForeignKeys.Entry withoutPolicy = renamed(kind, KnownKeys.plain(name, KnownKeys.POLICY));
        if (withoutPolicy != null && keys.hasValue(name)) {
            return new Cure(
                    name.toString(),
                    "A key of another library stands where the name of a policy should be",
                    withoutPolicy.cure(keys.value(name)) + " It stands below the name of a policy: '" + kind.prefix()
                            + ".<name>' for one, '" + kind.prefix() + ".default' for all.");
        }
        if (known.isGroup(name)) {
            return new Cure(
                    name.toString(),
                    "A value stands where " + (name.getNumberOfElements() == 2 ? "policies" : "the keys of a policy")
                            + " should be",
                    "Remove the value, and write keys below '" + name + "'.");
        }
        if (known.isGroupOfKeys(name)) {
            return new Cure(
                    name.toString(),
                    "A value stands where keys should be",
                    "Write the value of one of its keys: " + below(kind, key) + ".");
        }
        String policy = name.getElement(KnownKeys.POLICY, Form.ORIGINAL);
        ForeignKeys.Entry entry = renamed(kind, key);
        if (entry != null) {
            return new Cure(name.toString(), UNKNOWN, entry.cure(keys.value(name)));
        }
        Cure misplaced = misplaced(kind, policy, key, name);
        return misplaced != null
                ? misplaced
                : new Cure(
                        name.toString(),
                        UNKNOWN,
                        "Correct or remove the key. " + NearestNames.suggest(key, known.of(kind)));
    }

    /** What another library's key is here; {@code null} for names that this library has too, of whichever kind. */
    private ForeignKeys.@Nullable Entry renamed(PolicyKind kind, String key) {
        ForeignKeys.Entry entry = foreign.find(kind.id(), key);
        boolean isOurs = entry != null
                && (entry.foreign().equals(entry.ours())
                        || (entry.isOfAnnotation()
                                && known.kinds().stream().anyMatch(other -> known.find(other, key) != null)));
        return isOurs ? null : entry;
    }

    private Cure keyWithoutPolicy(PolicyKind kind, ConfigurationPropertyName name, String key) {
        String written = name.chop(2).toString();
        List<String> empty = keys.emptyPolicies(kind);
        String indent =
                empty.isEmpty() ? "" : " Or indent it below '" + String.join("' or '", empty) + "', which has no keys.";
        return new Cure(
                name.toString(),
                "A key stands where the name of a policy should be",
                "Write '" + written + ".<name>." + key + "' for one policy, or '" + written + ".default." + key
                        + "' for all." + indent);
    }

    private String below(PolicyKind kind, String group) {
        List<String> all = known.of(kind).stream()
                .filter(candidate -> KnownKeys.uniform(candidate).startsWith(KnownKeys.uniform(group) + "."))
                .sorted()
                .toList();
        return "'" + String.join("', '", all) + "'";
    }

    /** A key of this library that stands one level too high or too low, or below another kind. */
    private @Nullable Cure misplaced(PolicyKind kind, String policy, String key, ConfigurationPropertyName name) {
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
                        UNKNOWN,
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
                    UNKNOWN,
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
                UNKNOWN,
                "If '" + policy + "." + before
                        + "' is the name of a policy, write it in brackets, because it has a dot: "
                        + "\"[" + policy + "." + before + "]\". If not, '" + right + "' stands directly below '"
                        + kind.prefix() + "."
                        + policy + "'.");
    }

    private Cure ofGeneral(ConfigurationPropertyName name) {
        if (known.isOfOtherVersion(name)) {
            return new Cure(
                    name.toString(),
                    "This version does not have a key under 'resilience' that is written",
                    "Remove the key: what it asks for would not be done.");
        }
        String first = name.getElement(KnownKeys.KIND, Form.ORIGINAL);
        String ours = foreign.kind(first);
        if (ours != null) {
            return new Cure(
                    "kind " + first,
                    "A kind of policies has another name here",
                    ours.isEmpty()
                            ? "Remove the keys: this version has no rate limits."
                            : "Write 'resilience." + ours + "' in place of 'resilience." + first + "'.");
        }
        if (known.isGroupOfKeys(name)) {
            return new Cure(
                    name.toString(),
                    "A value stands where keys should be",
                    "Remove the value, and write keys below '" + name + "'.");
        }
        Cure withoutKind = withoutKind(name, first);
        if (withoutKind != null) {
            return withoutKind;
        }
        Collection<String> candidates = known.candidates(name);
        String unknown = KnownKeys.plain(name, KnownKeys.KIND);
        boolean kindIsMeant = name.getNumberOfElements() > KnownKeys.POLICY_KEY
                && !NearestNames.nearest(unknown, candidates).isEmpty();
        return new Cure(
                kindIsMeant ? "kind " + first : name.toString(),
                UNKNOWN,
                "Correct or remove the key. " + NearestNames.suggest(unknown, candidates));
    }

    /** A key of a policy, or a policy, that stands directly below {@code resilience}. */
    private @Nullable Cure withoutKind(ConfigurationPropertyName name, String first) {
        boolean withPolicy = name.getNumberOfElements() > 2
                && NearestNames.nearest(first, kinds()).isEmpty()
                && NearestNames.nearest(first, known.general()).isEmpty();
        for (PolicyKind kind : known.kinds()) {
            String key = known.find(kind, KnownKeys.plain(name, KnownKeys.KIND));
            String below = withPolicy ? known.find(kind, KnownKeys.plain(name, KnownKeys.POLICY)) : null;
            if (key != null) {
                return new Cure(
                        name.toString(),
                        "A key stands where a kind of policies should be",
                        "Write '" + kind.prefix() + ".<name>." + key + "' for one policy, or '" + kind.prefix()
                                + ".default." + key + "' for all.");
            }
            if (below != null) {
                return new Cure(
                        "policy " + first,
                        "A policy stands where its kind should be",
                        "Write the kind before the name, such as '" + kind.prefix() + "." + first + "." + below + "'.");
            }
        }
        return null;
    }

    private List<String> kinds() {
        return known.kinds().stream().map(PolicyKind::id).toList();
    }
}
