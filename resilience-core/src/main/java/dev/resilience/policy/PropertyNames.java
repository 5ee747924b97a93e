package dev.resilience.policy;

import java.util.regex.Pattern;

/** How the names of policies stand in those of properties. Not for applications. */
public final class PropertyNames {

    private static final Pattern PLAIN = Pattern.compile("[\\w-]+");

    private PropertyNames() {}

    /** Whether a name needs no brackets: one with blanks, dots or other unusual signs does. */
    public static boolean isPlain(String name) {
        return PLAIN.matcher(name).matches();
    }

    /** The property of a policy below that of its kind: {@code resilience.retry.orders}, {@code resilience.retry[a.b]}. */
    public static String of(String kind, String policy) {
        return kind + (isPlain(policy) ? "." + policy : "[" + policy + "]");
    }
}
