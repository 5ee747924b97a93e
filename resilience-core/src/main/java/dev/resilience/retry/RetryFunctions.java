package dev.resilience.retry;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a retry asks of the application's own code, beside its policy: each may be missing. Immutable; two with the same
 * instances are equal.
 *
 * @param retryIf tells of a failure that neither of the policy's lists matches whether it is retried; then it is not
 *     classified. Not asked about refusals such as {@link dev.resilience.exception.CircuitOpenException}, which only the lists
 *     can name. Where it throws, the failure is not retried, and the log says so once. Called by many threads
 * @param retryOnResult tells of a result, which may be {@code null}, whether it asks for another attempt. Where it throws, the
 *     result is returned, and the log says so once. Called by many threads
 * @param backoff says how long to wait, in place of the policy's backoff
 */
public record RetryFunctions(
        @Nullable Predicate<? super Throwable> retryIf,
        @Nullable Predicate<@Nullable Object> retryOnResult,
        @Nullable BackoffFunction backoff) {

    private static final RetryFunctions NONE = new RetryFunctions(null, null, null);

    /** To start from: the policy alone decides. */
    public static RetryFunctions none() {
        return NONE;
    }

    /** These with another rule for failures. */
    public RetryFunctions retryIf(@Nullable Predicate<? super Throwable> rule) {
        return new RetryFunctions(rule, retryOnResult, backoff);
    }

    /** These with another rule for results. */
    public RetryFunctions retryOnResult(@Nullable Predicate<@Nullable Object> rule) {
        return new RetryFunctions(retryIf, rule, backoff);
    }

    /** These with another backoff. */
    public RetryFunctions backoff(@Nullable BackoffFunction function) {
        return new RetryFunctions(retryIf, retryOnResult, function);
    }
}
