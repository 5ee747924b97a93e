package dev.resilience.spring.properties;

import static dev.resilience.spring.WarningId.KEY_WITHOUT_EFFECT;

import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.StartupWarnings;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.env.Environment;

/** What is configured under {@code resilience} besides policies. The default is in place of what cannot be read, which is reported. */
public final class CheckedProperties {

    private static final String ROOT = ConfiguredProperties.ROOT + ".";

    private final Map<String, Setting> settings;
    private final ResilienceProperties values;
    private final StartupProblems problems;

    public CheckedProperties(ConfiguredProperties configured, Environment environment, StartupProblems problems) {
        this.problems = problems;
        if (configured.sources().isEmpty()) { // nothing is read then, because that takes time at startup
            this.settings = Map.of();
            this.values = ResilienceProperties.defaults();
            return;
        }
        RecordKeys keys = RecordKeys.of(ResilienceProperties.class);
        this.settings = configured.settings(ConfiguredProperties.ROOT, keys);
        this.values = new PolicyCreation(
                        "The configuration",
                        keys,
                        inheritance(),
                        new ValueReader(new PropertySourcesPlaceholdersResolver(environment), problems),
                        PolicyFunctions.NONE,
                        problems)
                .over(ResilienceProperties.defaults())
                .value();
    }

    /**
     * One value, for a condition, which is asked before there are beans; the default in place of one that cannot be read.
     *
     * @param property its whole name
     */
    public static <T> T read(Environment environment, String property, Class<T> type, T byDefault) {
        try {
            return environment.getProperty(property, type, byDefault);
        } catch (ConversionException | IllegalArgumentException reportedLater) { // a placeholder without a value, too
            return byDefault;
        }
    }

    public ResilienceProperties written() {
        return values;
    }

    /** Whether anything is configured below a key. */
    public boolean hasAnyBelow(String group) {
        return settings.keySet().stream().anyMatch(key -> key.startsWith(group + "."));
    }

    /** Warns of what is configured for another store than the chosen one, which has no effect. */
    public void warnOfOtherStores(String store, Enum<?> type, StartupWarnings warnings) {
        String chosen = type.name().toLowerCase(Locale.ROOT);
        String ofOthers = store + "\\.(?!" + chosen + "\\.)\\w+\\..+";
        settings.keySet().stream()
                .filter(key -> !chosen.equals("auto") && key.matches(ofOthers))
                .map(key -> ROOT + key + " has no effect, because " + ROOT + store + ".type is " + chosen)
                .forEach(text -> warnings.add(KEY_WITHOUT_EFFECT.of(text)));
    }

    /** Property, value and origin, each on a line of its own. */
    public String describe(String key, Object value) {
        return inheritance().describe(key, value);
    }

    private PolicyInheritance inheritance() {
        return PolicyInheritance.of(ConfiguredProperties.ROOT, settings);
    }

    /**
     * Reports a value that cannot be used.
     *
     * @param property its whole name
     */
    public void require(boolean fulfilled, String property, Object value, String requirement) {
        if (!fulfilled) {
            problems.add(new ResilienceConfigurationException(
                    ProblemKind.VALUES,
                    "'" + property + "' has a value that it cannot have:\n\n"
                            + describe(property.substring(ROOT.length()), value) + "\n    Reason: " + requirement,
                    "Change the value of '" + property + "': it " + requirement + "."));
        }
    }
}
