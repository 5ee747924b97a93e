package dev.resilience.spring;

import java.util.Locale;

/** Names as they are written in YAML. */
public final class KebabCase {

    private KebabCase() {}

    /** {@code max-attempts} for {@code maxAttempts} and {@code MAX_ATTEMPTS}. */
    public static String of(String name) {
        if (name.equals(name.toUpperCase(Locale.ROOT))) {
            return name.replace('_', '-').toLowerCase(Locale.ROOT);
        }
        StringBuilder dashed = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean begins = c >= 'A' && c <= 'Z';
            dashed.append(begins && !dashed.isEmpty() ? "-" : "").append(Character.toLowerCase(c));
        }
        return dashed.toString();
    }
}
