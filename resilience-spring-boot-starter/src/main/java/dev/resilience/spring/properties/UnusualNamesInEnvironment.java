package dev.resilience.spring.properties;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;

/**
 * Lets environment variables add to policies whose names have dots, blanks or capitals, which no variable can spell:
 * {@code RESILIENCE_RETRY_ORDERSERVICE_PLACE_MAXATTEMPTS} for {@code [OrderService.place]}. Each part of the name is
 * looked up as an element of its own.
 */
record UnusualNamesInEnvironment(ConfigurationPropertySource environment) implements ConfigurationPropertySource {

    @Override
    public @Nullable ConfigurationProperty getConfigurationProperty(ConfigurationPropertyName name) {
        ConfigurationPropertyName divided = divide(name);
        ConfigurationProperty found = divided == null ? null : environment.getConfigurationProperty(divided);
        return found == null ? null : new ConfigurationProperty(name, found.getValue(), found.getOrigin());
    }

    @Override
    public ConfigurationPropertyState containsDescendantOf(ConfigurationPropertyName name) {
        ConfigurationPropertyName divided = divide(name);
        return divided == null ? ConfigurationPropertyState.ABSENT : environment.containsDescendantOf(divided);
    }

    @Override
    public Object getUnderlyingSource() {
        return this; // not the environment itself, which would be taken for a second one
    }

    /** The name with the parts of the policy's name as elements; {@code null} if that name is a usual one. */
    private static @Nullable ConfigurationPropertyName divide(ConfigurationPropertyName name) {
        if (name.getNumberOfElements() <= KnownKeys.POLICY) {
            return null;
        }
        String policy = name.getElement(KnownKeys.POLICY, Form.ORIGINAL);
        if (policy.chars().allMatch(c -> (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_')) {
            return null;
        }
        ConfigurationPropertyName divided = name.chop(KnownKeys.POLICY);
        for (String part : policy.toLowerCase(Locale.ROOT).replace("_", "").split("[^a-z0-9-]+", -1)) {
            String element = part.replaceAll("^-+|-+$", "");
            divided = element.isEmpty() ? divided : divided.append(element);
        }
        int length = name.getNumberOfElements();
        return length == KnownKeys.POLICY_KEY ? divided : divided.append(name.subName(KnownKeys.POLICY_KEY));
    }
}
