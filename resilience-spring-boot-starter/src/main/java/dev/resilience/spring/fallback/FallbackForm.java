package dev.resilience.spring.fallback;

import dev.resilience.spring.kind.SuspendingFunctions;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * How a fallback method is called: with the first so many of the call's arguments, and the failure before or after them.
 *
 * @param taken how many arguments of the call it takes
 * @param failure the type of the failure that it takes; {@code null} if it takes none
 * @param failureFirst whether the failure comes before the arguments
 */
record FallbackForm(
        FallbackCandidate candidate, int taken, @Nullable Class<?> failure, boolean failureFirst) {

    /** The form of a candidate; {@code null} if its parameters do not match. An exception among the arguments comes first. */
    static @Nullable FallbackForm of(FallbackCandidate candidate, FallbackCandidate protectedMethod) {
        int count = SuspendingFunctions.parameterCount(candidate.method());
        if (takesFirst(candidate, 0, count, protectedMethod)) {
            return new FallbackForm(candidate, count, null, false);
        }
        if (isFailure(candidate, count - 1) && takesFirst(candidate, 0, count - 1, protectedMethod)) {
            return new FallbackForm(candidate, count - 1, candidate.erasure(count - 1), false);
        }
        if (isFailure(candidate, 0) && takesFirst(candidate, 1, count - 1, protectedMethod)) {
            return new FallbackForm(candidate, count - 1, candidate.erasure(0), true);
        }
        return null;
    }

    private static boolean takesFirst(
            FallbackCandidate candidate, int from, int count, FallbackCandidate protectedMethod) {
        if (count > SuspendingFunctions.parameterCount(protectedMethod.method())) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (!candidate.takes(from + i, protectedMethod, i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isFailure(FallbackCandidate candidate, int parameter) {
        return parameter >= 0 && Throwable.class.isAssignableFrom(candidate.erasure(parameter));
    }

    Method method() {
        return candidate.method();
    }

    /** Steps up the failure's hierarchy to what the method takes; a method that takes none comes after all others. */
    int distance(Throwable thrown) {
        if (failure == null) {
            return Integer.MAX_VALUE - 1;
        }
        int steps = 0;
        for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
            if (type == failure) {
                return steps;
            }
            steps++;
        }
        return Integer.MAX_VALUE;
    }

    /**
     * What the method is called with.
     *
     * @param continuation where it goes on, if it is a suspending function
     */
    @Nullable
    Object[] arguments(@Nullable Object[] ofCall, Throwable thrown, @Nullable Object continuation) {
        @Nullable Object[] arguments = new Object[method().getParameterCount()];
        System.arraycopy(ofCall, 0, arguments, failureFirst ? 1 : 0, taken);
        if (failure != null) {
            arguments[failureFirst ? 0 : taken] = thrown;
        }
        if (candidate.isSuspending()) {
            arguments[arguments.length - 1] = continuation;
        }
        return arguments;
    }
}
