package dev.resilience.spring.properties;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.StartupWarnings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** The environment variables that are meant for policies, and those among them that nothing reads. */
public final class Variables {

    private static final String ROOT = "RESILIENCE_";

    private Variables() {}

    /** The environment variables that begin like ours, in alphabetical order. */
    public static Set<String> of(Environment environment) {
        Set<String> variables = new TreeSet<>();
        if (environment instanceof ConfigurableEnvironment configurable) {
            for (PropertySource<?> source : configurable.getPropertySources()) {
                if (source instanceof SystemEnvironmentPropertySource system) {
                    variables.addAll(of(system));
                }
            }
        }
        return variables;
    }

    public static List<String> of(SystemEnvironmentPropertySource environment) {
        return Arrays.stream(environment.getPropertyNames())
                .filter(name -> name.startsWith(ROOT) && name.matches("[A-Z0-9_]+"))
                .toList();
    }

    /** What a variable for the policy begins with: without dashes, or with an underscore for each. */
    public static List<String> prefixes(PolicyKind kind, String policy) {
        return both(kind.id(), policy).stream().map(name -> name + "_").toList();
    }

    /**
     * Warns of every variable for a policy that reaches none, or no key of it.
     *
     * @param policies the names of all policies by kind
     */
    public static void warn(
            Environment environment,
            KnownKeys known,
            Map<PolicyKind, ? extends Collection<String>> policies,
            StartupWarnings warnings) {
        List<String> meant = of(environment).stream()
                .filter(variable -> isMeantForPolicies(variable, known))
                .toList();
        if (meant.isEmpty()) {
            return;
        }
        Set<String> read = new LinkedHashSet<>();
        Set<String> offered = new LinkedHashSet<>();
        policies.forEach((kind, names) -> names.forEach(name -> known.of(kind).forEach(key -> {
            List<String> forms = both(kind.id(), name, key);
            read.addAll(forms);
            offered.add(forms.get(0));
        })));
        for (String general : known.general()) {
            read.addAll(both(general));
        }
        for (String variable : meant) {
            if (!read.contains(variable) && !read.contains(variable.replaceFirst("(_\\d+)+_?$", ""))) {
                List<String> near = NearestNames.nearest(variable, offered);
                warnings.add("The environment variable '" + variable + "' has no effect. "
                        + (near.isEmpty()
                                ? "It names no key of a policy that is written in a file; a name of one word may be its "
                                        + "own, as in RESILIENCE_RETRY_PAYMENTS_MAXATTEMPTS"
                                : "Did you mean '" + near.get(0) + "'?"));
            }
        }
    }

    /** Whether the variable begins with a kind of policies, or ends with one of their keys behind two more parts. */
    private static boolean isMeantForPolicies(String variable, KnownKeys known) {
        for (PolicyKind kind : known.kinds()) {
            if (both(kind.id()).stream().anyMatch(prefix -> variable.startsWith(prefix + "_"))) {
                return true;
            }
            if (variable.split("_", -1).length >= 4
                    && known.of(kind).stream().map(key -> uniform(key)).anyMatch(key -> variable.endsWith("_" + key))) {
                return true;
            }
        }
        return false;
    }

    /** Without dashes, which is how Boot writes it, and with an underscore for each, which it reads too. */
    private static List<String> both(String... parts) {
        List<String> plain = new ArrayList<>();
        List<String> divided = new ArrayList<>();
        for (String part : parts) {
            plain.add(uniform(part));
            divided.add(part.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]+", "_"));
        }
        return List.of(ROOT + String.join("_", plain), ROOT + String.join("_", divided));
    }

    private static String uniform(String part) {
        return part.toUpperCase(Locale.ROOT).replace("-", "").replaceAll("[^A-Z0-9]+", "_");
    }
}
