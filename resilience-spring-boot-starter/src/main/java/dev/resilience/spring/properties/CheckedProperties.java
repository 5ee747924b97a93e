package dev.resilience.spring.properties;

import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/** What is written under {@code resilience} besides policies, for those who cannot use every value that can be read. */
public record CheckedProperties(ResilienceProperties written, Environment environment, StartupMistakes mistakes) {

    public CheckedProperties(Environment environment, StartupMistakes mistakes) {
        this(GeneralProperties.read(environment), environment, mistakes);
    }

    /**
     * Tells of a value that cannot be used.
     *
     * @return whether it can be used
     */
    public boolean require(boolean fulfilled, String key, Object value, String requirement) {
        if (!fulfilled) {
            String where = GeneralProperties.keys(environment).describe(ConfigurationPropertyName.of(key), value);
            mistakes.add(new ResilienceConfigurationException(
                    MistakeKind.VALUES,
                    "'" + key + "' has a value that it cannot have:\n\n" + where + "\n    Reason: " + requirement,
                    "Change the value of '" + key + "': it " + requirement + "."));
        }
        return fulfilled;
    }

    /** As {@link #require}, of a number that must not be less than one. */
    public boolean requirePositive(int number, String key) {
        return require(number >= 1, key, number, "must be at least 1");
    }
}
