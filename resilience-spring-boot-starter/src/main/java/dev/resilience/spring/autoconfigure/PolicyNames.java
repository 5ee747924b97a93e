package dev.resilience.spring.autoconfigure;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Policy names as elements of property names. */
final class PolicyNames {

    private PolicyNames() {}

    /** A name as it stands in a property name: in brackets where it has capitals or signs that keys do not have. */
    static String asElement(String name) {
        boolean plain = ConfigurationPropertyName.ofIfValid(name) != null && name.indexOf('.') < 0;
        return plain ? name : "[" + name + "]";
    }
}
