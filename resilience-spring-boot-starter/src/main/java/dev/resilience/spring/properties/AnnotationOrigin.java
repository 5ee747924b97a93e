package dev.resilience.spring.properties;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.origin.Origin;

/**
 * The value of an annotation's attribute, as the place of a policy's value.
 *
 * @param source as in source: {@code @Retryable(maxAttempts = 5)}
 * @param attribute its name
 * @param place the class and, unless the annotation stands on the type, the method
 */
record AnnotationOrigin(String source, String attribute, String place) implements Origin {

    String describe(ConfigurationPropertyName property) {
        return "    Annotation: " + source + "\n    Place: " + place + "\n    Property that would override it: "
                + property;
    }

    /** What to change, in a sentence. */
    String target() {
        return "attribute '" + attribute + "' of " + source + " on " + place;
    }
}
