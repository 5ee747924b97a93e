package dev.resilience.spring;

import java.util.Locale;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/** Names as they are written in YAML. */
public final class KebabCase {

    private KebabCase() {}

    /** {@code max-attempts} for {@code maxAttempts} and {@code MAX_ATTEMPTS}. */
    public static String of(String name) {
        boolean isConstant = name.equals(name.toUpperCase(Locale.ROOT));
        return DataObjectPropertyName.toDashedForm(isConstant ? name.toLowerCase(Locale.ROOT) : name);
    }
}
