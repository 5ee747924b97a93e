package dev.resilience.spring.properties.unknown;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.properties.ConfiguredProperties;
import dev.resilience.spring.properties.KnownKeys;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** What to do about a key that nothing reads: the most specific explanation that fits. */
final class KeyCures {

    static final String UNKNOWN = "A key under 'resilience' is not known";

    private final ConfiguredProperties keys;
    private final KnownKeys known;
    private final ForeignKeys foreign = new ForeignKeys();
    private final MisplacedKeys misplaced;

    KeyCures(ConfiguredProperties keys, KnownKeys known) {
        this.keys = keys;
        this.known = known;
        this.misplaced = new MisplacedKeys(keys, known, foreign);
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
        ForeignKeys.Entry withoutPolicy = misplaced.renamed(kind, KnownKeys.plain(name, KnownKeys.POLICY));
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
        ForeignKeys.Entry entry = misplaced.renamed(kind, key);
        if (entry != null) {
            return new Cure(name.toString(), UNKNOWN, entry.cure(keys.value(name)));
        }
        Cure ofPlace = misplaced.cure(kind, policy, key, name);
        return ofPlace != null
                ? ofPlace
                : new Cure(
                        name.toString(),
                        UNKNOWN,
                        "Correct or remove the key. " + NearestNames.suggest(key, known.of(kind)));
    }

    private Cure keyWithoutPolicy(PolicyKind kind, ConfigurationPropertyName name, String key) {
        String written = name.chop(2).toString();
        List<String> empty = emptyPolicies(kind);
        String indent =
                empty.isEmpty() ? "" : " Or indent it below '" + String.join("' or '", empty) + "', which has no keys.";
        return new Cure(
                name.toString(),
                "A key stands where the name of a policy should be",
                "Write '" + written + ".<name>." + key + "' for one policy, or '" + written + ".default." + key
                        + "' for all." + indent);
    }

    /** The policies of a kind that are written without a key, as by a wrong indentation. */
    private List<String> emptyPolicies(PolicyKind kind) {
        ConfigurationPropertyName prefix = ConfigurationPropertyName.of(kind.prefix());
        return keys.strict()
                .filter(name -> prefix.isParentOf(name) && keys.isWritten(name) && !keys.hasValue(name))
                .map(name -> name.getLastElement(Form.ORIGINAL))
                .distinct()
                .toList();
    }

    private String below(PolicyKind kind, String group) {
        List<String> all = known.of(kind).stream()
                .filter(candidate -> KnownKeys.uniform(candidate).startsWith(KnownKeys.uniform(group) + "."))
                .sorted()
                .toList();
        return "'" + String.join("', '", all) + "'";
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
