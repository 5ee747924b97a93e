package dev.resilience.spring;

import java.util.Locale;

/** Names as they are written in YAML. */
public final class KebabCase {

    private KebabCase() {}

    /** {@code max-attempts} for {@code maxAttempts} and {@code MAX_ATTEMPTS}. */
    public static String of(String name) {
        boolean constant = name.equals(name.toUpperCase(Locale.ROOT));
        String dashed = constant ? name.replace('_', '-') : name.replaceAll("(?<=.)([A-Z])", "-$1");
        return dashed.toLowerCase(Locale.ROOT);
    }
}
