package dev.resilience.spring.properties.unknown;

import dev.resilience.policy.PropertyNames;
import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupWarnings;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Warns of keys of Resilience4j that were left when what reads them went, with what to write in their place. */
public final class Resilience4jKeys {

    private static final String REASON =
            "Keys under 'resilience4j' have no effect, because no Spring Boot starter of Resilience4j is on the class path.";

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("resilience4j");

    /** What reads the keys: the Spring Boot starters for 4 and for 3, the latter with Spring Cloud too. */
    private static final String[] CLASSES = {
        "io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration",
        "io.github.resilience4j.springboot3.retry.autoconfigure.RetryAutoConfiguration"
    };

    private Resilience4jKeys() {}

    public static void warn(Environment environment, StartupWarnings warnings) {
        Resilience4jTranslation leftOver = leftOver(environment);
        if (leftOver != null) {
            warnings.add(REASON + leftOver.toText());
        }
    }

    /** As a mistake: methods name policies that are among the keys. */
    static ResilienceConfigurationException toMistake(Resilience4jTranslation leftOver) {
        return new ResilienceConfigurationException(
                MistakeKind.KEYS,
                REASON + " Methods name policies that are among them",
                leftOver.toText().strip());
    }

    /** The keys that nothing reads any more; {@code null} if there are none. */
    static @Nullable Resilience4jTranslation leftOver(Environment environment) {
        Map<String, String> written = written(environment);
        return written.isEmpty() || areRead() ? null : new Resilience4jTranslation(written);
    }

    private static boolean areRead() {
        for (String type : CLASSES) {
            if (ClassUtils.isPresent(type, Resilience4jKeys.class.getClassLoader())) {
                return true;
            }
        }
        return false;
    }

    /** The keys as they are written, in their order, the value that wins for each. */
    private static Map<String, String> written(Environment environment) {
        Map<String, String> written = new LinkedHashMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                iterable.stream().filter(ROOT::isAncestorOf).forEach(name -> {
                    ConfigurationProperty property = source.getConfigurationProperty(name);
                    if (property != null) {
                        written.putIfAbsent(asWritten(name), String.valueOf(property.getValue()));
                    }
                });
            }
        }
        return written;
    }

    /** With the capitals of names. */
    private static String asWritten(ConfigurationPropertyName name) {
        StringBuilder text = new StringBuilder(name.getElement(0, Form.ORIGINAL));
        for (int i = 1; i < name.getNumberOfElements(); i++) {
            String element = name.getElement(i, Form.ORIGINAL);
            boolean bracketed = name.isNumericIndex(i) || !PropertyNames.isPlain(element);
            text.append(bracketed ? '[' : '.').append(element).append(bracketed ? "]" : "");
        }
        return text.toString();
    }
}
