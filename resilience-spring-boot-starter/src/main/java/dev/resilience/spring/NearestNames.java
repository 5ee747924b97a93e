package dev.resilience.spring;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Finds what was probably meant: the known names that are fewest edits away from the unknown one. */
public final class NearestNames {

    private static final int MAX_OFFERED = 3;
    private static final int MAX_LISTED = 30;

    private NearestNames() {}

    /**
     * A sentence that offers the nearest names. If none is near, it lists the known ones; of more than thirty it offers the nearest
     * three, however far they are.
     */
    public static String suggest(String unknown, Collection<String> known) {
        List<String> near = nearest(unknown, known);
        if (!near.isEmpty()) {
            return "Did you mean " + quoted(near, " or ") + "?";
        }
        if (known.size() > MAX_LISTED) {
            return "The nearest are: " + quoted(byDistance(unknown, known.stream()), ", ") + ".";
        }
        return known.isEmpty()
                ? "There is none."
                : "Known are: " + quoted(known.stream().sorted().toList(), ", ") + ".";
    }

    /** The known names close enough to be meant, the nearest first. */
    public static List<String> nearest(String unknown, Collection<String> known) {
        int farthest = Math.min(Math.max(2, unknown.length() / 3), unknown.length() - 1);
        return byDistance(
                unknown, known.stream().filter(name -> distance(unknown, name) <= farthest || isPartOf(unknown, name)));
    }

    private static List<String> byDistance(String unknown, Stream<String> names) {
        return names.sorted(Comparator.<String>comparingInt(name -> distance(unknown, name))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MAX_OFFERED)
                .toList();
    }

    private static boolean isPartOf(String unknown, String name) {
        String a = unknown.toLowerCase(Locale.ROOT);
        String b = name.toLowerCase(Locale.ROOT);
        return Math.min(a.length(), b.length()) >= 4 && (a.contains(b) || b.contains(a));
    }

    /** Levenshtein's distance, case ignored. */
    public static int distance(String left, String right) {
        String a = left.toLowerCase(Locale.ROOT);
        String b = right.toLowerCase(Locale.ROOT);
        int[] previous = IntStream.rangeClosed(0, b.length()).toArray();
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[b.length()];
    }

    private static String quoted(Collection<String> names, String separator) {
        return String.join(
                separator, names.stream().map(name -> "'" + name + "'").toList());
    }
}
