package dev.resilience.spring.properties;

import dev.resilience.policy.PropertyNames;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.kind.ConfiguredKind;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** What is known of names beyond those of live policies: which are broken, which are alike, and what to do about an unknown one. */
public final class PolicyNames {

    /** Servers and firewalls refuse these in a path, encoded or not. */
    private static final Pattern UNREACHABLE = Pattern.compile("[/\\\\;%]");

    private final PolicyTable table;
    private final Environment environment;
    private final Set<String> broken = ConcurrentHashMap.newKeySet();

    public PolicyNames(PolicyTable table, Environment environment) {
        this.table = table;
        this.environment = environment;
    }

    /** The policy cannot be made, which is reported. */
    public void breaks(ConfiguredKind<?, ?, ?> kind, String name) {
        broken.add(kind.id() + "/" + name);
    }

    /** Whether the policy is configured but cannot be made, which is a problem of its own. */
    public boolean isBroken(ConfiguredKind<?, ?, ?> kind, String name) {
        return broken.contains(kind.id() + "/" + name);
    }

    /**
     * The name that environment variables alone give to the policy: they spell every name in capitals and without
     * dashes, so they name the policy of an annotation in any case. {@code null} if there is none.
     */
    public @Nullable String inEnvironment(ConfiguredKind<?, ?, ?> kind, String name) {
        return table.inEnvironment(kind).stream()
                .filter(policy -> RecordKeys.uniform(policy).equals(RecordKeys.uniform(name)))
                .findFirst()
                .orElse(null);
    }

    /**
     * What to do about a name that there is no policy of.
     *
     * @param place what names it: {@code the annotation}, or a property
     * @param live the names that there are
     */
    public String cure(ConfiguredKind<?, ?, ?> kind, String name, String place, Collection<String> live) {
        String property = PropertyNames.of(kind.prefix(), name);
        if (kind.presets().containsKey(name)) {
            return "'" + name + "' is a preset, which only 'extends' can name: configure the policy under '" + property
                    + "':\n\n    " + property + ":\n      extends: " + name;
        }
        String leftOver = UnknownKeys.ofResilience4j(environment);
        return "Correct the name in " + place + ", or configure the policy under '" + property + "'. "
                + NearestNames.suggest(name, live) + (leftOver == null ? "" : " " + leftOver);
    }

    /** Reports names that differ by dashes and case only, in files, annotations and beans: relaxed binding takes them for one. */
    public void checkSpellings(AnnotatedPolicies annotated, PolicyBeans beans, StartupProblems problems) {
        for (ConfiguredKind<?, ?, ?> kind : table.kinds()) {
            Map<String, String> places = new LinkedHashMap<>();
            places.put("default", "    The policy 'default', which is always there");
            table.inFiles(kind).forEach((name, property) -> places.put(name, Setting.describeProperty(property)));
            annotated.names(kind).forEach(name -> places.putIfAbsent(name, annotated.describe(kind, name)));
            beans.names(kind).forEach(name -> places.putIfAbsent(name, "    Bean: " + name));
            Map<String, String> known = new HashMap<>();
            places.forEach((name, place) -> {
                if (UNREACHABLE.matcher(name).find()) {
                    breaks(kind, name);
                    problems.add(new ResilienceConfigurationException(
                            ProblemKind.POLICIES,
                            "The " + kind.id() + " policy '" + name
                                    + "' cannot be reached over HTTP, because its name has one of / \\ ; %:\n\n"
                                    + place,
                            "Give the policy a name without them."));
                }
                String first = known.putIfAbsent(RecordKeys.uniform(name), name);
                if (first != null) {
                    breaks(kind, first);
                    breaks(kind, name);
                    problems.add(new ResilienceConfigurationException(
                            ProblemKind.POLICIES,
                            "The " + kind.id() + " policies '" + first + "' and '" + name
                                    + "' differ by dashes and case only, so they are one:\n\n" + places.get(first)
                                    + "\n\n" + place,
                            "Write the name in one way everywhere, or give one of the two another name."));
                }
            });
        }
    }
}
