package dev.resilience.policy;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The checks that policies make of their values; each throws {@link InvalidPolicyException}. Not for applications. */
public final class Require {

    private Require() {}

    public static void atLeast(int minimum, String key, int value) {
        that(value >= minimum, key, value, "must be at least " + minimum);
    }

    public static void between(int minimum, int maximum, String key, int value) {
        atLeast(minimum, key, value);
        that(value <= maximum, key, value, "must be at most " + maximum);
    }

    public static void positive(String key, @Nullable Duration value) {
        boolean isPositive = value == null || !(value.isNegative() || value.isZero());
        that(isPositive, key, value, "must be longer than zero");
    }

    public static void notNegative(String key, Duration value) {
        that(!value.isNegative(), key, value, "must not be negative");
    }

    public static void atLeast(Duration minimum, String minimumKey, String key, Duration value) {
        if (value.compareTo(minimum) < 0) {
            String requirement = "must not be shorter than " + minimumKey + ", which is " + minimum;
            throw new InvalidPolicyException(key, value, requirement, minimumKey, minimum);
        }
    }

    public static void ratio(String key, double value) {
        if (!(value >= 0 && value <= 1)) {
            String percent = value > 1 && value <= 100 ? "; for " + value + " percent write " + value / 100 : "";
            throw new InvalidPolicyException(key, value, "is a ratio and must be between 0 and 1" + percent);
        }
    }

    public static void multiplier(String key, double value) {
        boolean isOne = value >= 1 && value < Double.POSITIVE_INFINITY;
        that(isOne, key, value, "must be a number of at least 1");
    }

    /** Refuses to change a value of a live object's policy. */
    public static void unchanged(String key, Object now, Object changed) {
        that(now.equals(changed), key, changed, "cannot change while the application runs: it is " + now);
    }

    /**
     * Refuses values of a list, all of them at once.
     *
     * @param refused the values that the key cannot have
     */
    public static void none(String key, List<?> refused, String requirement) {
        that(refused.isEmpty(), key, refused.size() == 1 ? refused.get(0) : refused, requirement);
    }

    /**
     * A copy of a list of exception classes. Binding knows that a list holds classes, but not that they must be exceptions.
     */
    public static List<Class<? extends Throwable>> exceptions(String key, List<Class<? extends Throwable>> classes) {
        none(
                key,
                classes.stream()
                        .filter(type -> !Throwable.class.isAssignableFrom(type))
                        .map(Class::getName)
                        .toList(),
                "must be an exception class");
        return List.copyOf(classes);
    }

    public static void that(boolean condition, String key, @Nullable Object value, String requirement) {
        if (!condition) {
            throw new InvalidPolicyException(key, value, requirement);
        }
    }
}
