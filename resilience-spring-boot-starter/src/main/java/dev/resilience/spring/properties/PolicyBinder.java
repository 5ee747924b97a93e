package dev.resilience.spring.properties;

import dev.resilience.policy.PropertyNames;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.kind.ConfiguredKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.core.ResolvableType;

/** Makes policies of what is configured. Those that cannot be made are reported, and left out. */
public final class PolicyBinder {

    private static final String DEFAULT = "default";

    private final PolicyTable table;
    private final AnnotatedPolicies annotated;
    private final PolicyBeans beans;
    private final PolicyFunctions functions;
    private final ValueReader reader;
    private final StartupProblems problems;
    private final BiConsumer<ConfiguredKind<?, ?, ?>, String> broken;
    private final Map<ConfiguredKind<?, ?, ?>, OfKind> byKind = new LinkedHashMap<>();

    /**
     * @param annotated the values of annotations, which files override
     * @param beans the policies that are beans, and what customizes policies
     * @param broken hears which policies cannot be made
     */
    public PolicyBinder(
            PolicyTable table,
            AnnotatedPolicies annotated,
            PolicyBeans beans,
            PlaceholdersResolver placeholders,
            StartupProblems problems,
            BiConsumer<ConfiguredKind<?, ?, ?>, String> broken) {
        this.table = table;
        this.annotated = annotated;
        this.beans = beans;
        this.functions = new PolicyFunctions(beans.factory());
        this.reader = new ValueReader(placeholders, problems);
        this.problems = problems;
        this.broken = broken;
    }

    /** The policies of a kind by name. There is always one named {@code "default"}, configured or not. */
    public <P extends Record> Map<String, P> bind(ConfiguredKind<?, P, ?> kind) {
        Map<String, P> policies = new LinkedHashMap<>();
        for (String name : policies(kind).names) {
            P policy = bind(kind, name);
            if (policy != null) {
                policies.put(name, policy);
            }
        }
        return Collections.unmodifiableMap(policies);
    }

    /** The policy of a name; {@code null} if it cannot be made, which is reported. */
    @SuppressWarnings("unchecked") // a bean of the kind's policies
    public <P extends Record> @Nullable P bind(ConfiguredKind<?, P, ?> kind, String name) {
        P policy = null;
        try {
            PolicyInheritance inheritance = policies(kind).read(name);
            P base = inheritance.bean() == null ? kind.defaultPolicy() : (P) inheritance.bean();
            String subject = "The " + kind.id() + " policy '" + name + "'";
            PolicyCreation.Created<P> bound =
                    new PolicyCreation(subject, table.keys(kind), inheritance, reader, functions, problems).over(base);
            policy = bound.isWhole() ? beans.customize(kind, name, bound.value()) : null;
        } catch (ResilienceConfigurationException problem) {
            problems.add(problem);
        }
        if (policy == null) {
            broken.accept(kind, name);
        }
        return policy;
    }

    /** Whether the methods that use a policy are protected by it. */
    public boolean isEnabled(ConfiguredKind<?, ?, ?> kind, String name) {
        Setting setting = kind.canBeSwitchedOff() ? inheritance(kind, name).setting("enabled") : null;
        return setting == null || !Boolean.FALSE.equals(reader.read(setting, ResolvableType.forClass(Boolean.class)));
    }

    /** The property that gives a policy the value of a key: its own or one of those that it starts from. */
    public String property(ConfiguredKind<?, ?, ?> kind, String name, String key) {
        return inheritance(kind, name).property(key);
    }

    /** Describes that property, with the value that was read. */
    public String describe(ConfiguredKind<?, ?, ?> kind, String name, String key, @Nullable Object value) {
        return inheritance(kind, name).describe(key, value);
    }

    /** What is configured for a policy itself, and not only for what it starts from, by key: the place, in a sentence. */
    public Map<String, String> places(ConfiguredKind<?, ?, ?> kind, String name) {
        PolicyInheritance inheritance = inheritance(kind, name);
        Map<String, String> places = new LinkedHashMap<>();
        inheritance.settings().get(0).keySet().forEach(key -> places.put(key, inheritance.target(key)));
        return places;
    }

    /** The names of the policies of a kind that are configured elsewhere than in code. */
    public Set<String> configured(ConfiguredKind<?, ?, ?> kind) {
        Set<String> names = new TreeSet<>(table.inFiles(kind).keySet());
        names.addAll(table.inEnvironment(kind));
        return names;
    }

    /** The policy itself, what it starts from, and so on. */
    public List<String> ancestry(ConfiguredKind<?, ?, ?> kind, String name) {
        return inheritance(kind, name).links();
    }

    /** As they were when the policy was bound, because a class that turns up later may add to them. */
    private PolicyInheritance inheritance(ConfiguredKind<?, ?, ?> kind, String name) {
        OfKind policies = policies(kind);
        PolicyInheritance known = policies.known.get(name);
        return known == null ? policies.read(name) : known;
    }

    private OfKind policies(ConfiguredKind<?, ?, ?> kind) {
        return byKind.computeIfAbsent(kind, key -> new OfKind(kind));
    }

    /**
     * A policy, then what it starts from, and so on: up to {@code default}, a bean or a preset.
     *
     * @param broken whether {@code default} stands in for what a policy cannot start from
     */
    private record Chain(List<String> links, boolean broken) {}

    /**
     * The policies of one kind as they are configured, and what each of them starts from. There is always one named
     * {@code default}, whether configured or not.
     */
    private final class OfKind {

        private final ConfiguredKind<?, ?, ?> kind;
        private final Set<String> names = new TreeSet<>();
        private final Map<String, PolicyInheritance> known = new ConcurrentHashMap<>();

        OfKind(ConfiguredKind<?, ?, ?> kind) {
            this.kind = kind;
            names.add(DEFAULT);
            names.addAll(table.inFiles(kind).keySet());
            names.addAll(annotated.names(kind));
            names.addAll(beans.names(kind));
            for (String name : table.inEnvironment(kind)) {
                if (!PolicyTable.isAlike(names, name)) {
                    names.add(name);
                }
            }
        }

        private boolean exists(String name) {
            return names.contains(name) || annotated.contains(kind, name);
        }

        /** What is configured for the policy itself, then for what it starts from, and so on. */
        PolicyInheritance read(String name) {
            List<Map<String, Setting>> all = new ArrayList<>();
            Chain chain = chain(name);
            String start = null;
            for (String link : chain.links) {
                boolean exists = exists(link);
                all.add(exists ? settings(link) : preset(link));
                start = exists ? null : "preset '" + presetName(link) + "'";
            }
            String last = chain.links.get(chain.links.size() - 1);
            Record bean = beans.find(kind, last);
            start = bean == null ? start : "bean '" + last + "'";
            PolicyInheritance read = new PolicyInheritance(property(name), chain.links, all, start, bean, chain.broken);
            known.put(name, read);
            return read;
        }

        private Map<String, Setting> preset(String link) {
            Map<String, Setting> settings = new LinkedHashMap<>();
            kind.presets()
                    .getOrDefault(presetName(link), Map.of())
                    .forEach((key, value) ->
                            settings.put(key, Setting.of(PolicyInheritance.PRESET + link, value, null)));
            return settings;
        }

        /** A link is the preset of its name, or one that a policy hides by its own name and starts from all the same. */
        private static String presetName(String link) {
            return link.startsWith(PolicyInheritance.PRESET) ? link.substring(PolicyInheritance.PRESET.length()) : link;
        }

        private Map<String, Setting> settings(String name) {
            return annotated.below(table.settings(kind, name), kind, name, property(name));
        }

        private String property(String name) {
            return PropertyNames.of(kind.prefix(), name);
        }

        /** A chain that cannot be is reported, and goes on, so that the policy's own values can be checked. */
        private Chain chain(String name) {
            Set<String> chain = new LinkedHashSet<>();
            boolean broken = false;
            String link = name;
            while (link != null && chain.add(link)) {
                try {
                    link = exists(link) ? parent(link) : null;
                    if (link != null && chain.contains(link)) {
                        List<String> links = new ArrayList<>(chain);
                        throw circle(links.subList(links.indexOf(link), links.size()));
                    }
                } catch (ResilienceConfigurationException problem) {
                    problems.add(problem);
                    broken = true;
                    link = DEFAULT;
                }
            }
            return new Chain(List.copyOf(chain), broken);
        }

        private @Nullable String parent(String name) {
            Setting setting = settings(name).get("extends");
            Object read = setting == null ? null : reader.read(setting, ResolvableType.forClass(String.class));
            boolean isBean = beans.names(kind).contains(name);
            if (setting == null || read == null) {
                return name.equals(DEFAULT) || isBean ? null : DEFAULT;
            }
            String parent = read.toString();
            boolean isPreset = kind.presets().containsKey(parent);
            String subject = "The " + kind.id() + " policy '" + name + "' extends '" + parent + "', ";
            String place = ":\n\n" + setting.describe(parent);
            if (isBean) {
                throw new ResilienceConfigurationException(
                        ProblemKind.POLICIES,
                        subject + "but starts from the bean '" + name + "', which is a policy" + place,
                        "Remove '" + setting.property() + "', or give the bean another name and extend that.");
            }
            if (!exists(parent) && !isPreset) {
                Set<String> known = new TreeSet<>(names);
                known.addAll(kind.presets().keySet());
                known.remove(name);
                throw new ResilienceConfigurationException(
                        ProblemKind.POLICIES,
                        subject + "which does not exist" + place,
                        "Correct the name. " + NearestNames.suggest(parent, known));
            }
            return parent.equals(name) && isPreset ? PolicyInheritance.PRESET + parent : parent;
        }

        private ResilienceConfigurationException circle(List<String> links) {
            String first = Collections.min(links); // the same wherever one enters it
            Collections.rotate(links, -links.indexOf(first));
            String place = "";
            for (String link : links) {
                Setting setting = settings(link).get("extends");
                place = place.isEmpty() && setting != null ? "\n\n" + setting.describe(null) : place;
            }
            return new ResilienceConfigurationException(
                    ProblemKind.POLICIES,
                    "The " + kind.id() + " policies start from each other in a circle: " + String.join(" -> ", links)
                            + " -> " + first + " (a policy without 'extends' starts from 'default')" + place,
                    "Remove one 'extends' under '" + kind.prefix() + "'.");
        }
    }
}
