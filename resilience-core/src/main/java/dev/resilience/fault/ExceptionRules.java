package dev.resilience.fault;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Two lists of exception classes, as a policy names them: those that count ({@code retry-on}, {@code record-on}) and
 * those that do not ({@code do-not-retry-on}, {@code ignore-on}).
 *
 * <p>The exception is looked at first, then its causes. Within one exception the listed class closest in its hierarchy
 * decides; listed in both, it does not count.
 */
public record ExceptionRules(List<Class<? extends Throwable>> included, List<Class<? extends Throwable>> excluded) {

    public ExceptionRules {
        included = List.copyOf(included);
        excluded = List.copyOf(excluded);
    }

    /** Whether the exception counts, or {@code null} if no listed class matches it or one of its causes. */
    public @Nullable Boolean verdict(Throwable failure) {
        if (included.isEmpty() && excluded.isEmpty()) {
            return null;
        }
        for (Throwable link : Causes.of(failure)) {
            Boolean verdict = closest(link.getClass());
            if (verdict != null) {
                return verdict;
            }
        }
        return null;
    }

    /** These rules without the classes that are more general than the given one. */
    public ExceptionRules within(Class<? extends Throwable> root) {
        return new ExceptionRules(
                included.stream().filter(root::isAssignableFrom).toList(),
                excluded.stream().filter(root::isAssignableFrom).toList());
    }

    private @Nullable Boolean closest(Class<?> type) {
        for (Class<?> ancestor = type; ancestor != null; ancestor = ancestor.getSuperclass()) {
            if (excluded.contains(ancestor)) {
                return false;
            }
            if (included.contains(ancestor)) {
                return true;
            }
        }
        return null;
    }
}
