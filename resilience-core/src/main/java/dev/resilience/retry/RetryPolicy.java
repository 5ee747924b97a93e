package dev.resilience.retry;

import dev.resilience.fault.FaultClassification;
import dev.resilience.policy.Key;
import dev.resilience.policy.Require;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * When to try again, how long to wait, and when to stop. Immutable; every value is checked when the record is made.
 *
 * @param maxAttempts calls in all, the first one included; default 3, at least 1
 * @param maxDuration time from the start of the first call after which no retry begins; default none. A retry whose
 *     wait would end later is not made; a running attempt is never interrupted
 * @param backoff how long to wait; default {@link Backoff#DEFAULT}
 * @param retryOn exceptions that are retried whatever the classification says
 * @param doNotRetryOn exceptions that are never retried; the class closest in the hierarchy wins, this list wins a tie
 * @param retryIf decides whether a failure that neither list matches is retried; then it is not classified. Default none.
 *     Not asked about refusals such as {@link dev.resilience.exception.CircuitOpenException}, which only the lists can name. If
 *     it throws, the failure is not retried, and the log says so once. Called by many threads
 * @param retryUnknown whether failures are retried of which nothing tells whether they are transient; default false. What
 *     is permanent is never retried
 * @param retryOnStatus HTTP statuses that count as transient; default 408, 429, 502, 503, 504. For idempotent methods
 *     500 is added
 * @param retryOnResult decides whether a result, which may be {@code null}, asks for another attempt; default none. If it
 *     throws, the result is returned, and the log says so once. Called by many threads. Policies are equal if they have equal
 *     rules, which of lambdas only the same instance is
 * @param failWhenExhausted whether a call of which the last result still asks for another attempt fails with a {@link
 *     dev.resilience.exception.RetryExhaustedException} in place of returning that result; default false
 * @param honorRetryAfter whether the delay is at least the server's {@code Retry-After}; default true
 * @param maxRetryAfter a longer hint ends the retrying; default 60 s
 * @param budget the name of a shared {@link RetryBudget}, {@code none}, or {@code null} for one of the policy's own
 * @param deadLetter whether calls that ran out of retries are kept for a later replay; default false
 * @param deadLetterReplay when calls that are kept are replayed; default {@link Replay#MANUAL}
 * @param retryAfterFirstElement whether a stream is retried although elements were emitted, which are then emitted a
 *     second time; default false
 * @param nested what to do inside another retrying call; default {@link Nested#ALLOW}
 */
public record RetryPolicy(
        int maxAttempts,
        @Nullable Duration maxDuration,
        Backoff backoff,
        List<Class<? extends Throwable>> retryOn,
        List<Class<? extends Throwable>> doNotRetryOn,
        @Nullable Predicate<? super Throwable> retryIf,
        boolean retryUnknown,
        Set<Integer> retryOnStatus,
        @Nullable Predicate<@Nullable Object> retryOnResult,
        boolean failWhenExhausted,
        boolean honorRetryAfter,
        Duration maxRetryAfter,
        @Nullable String budget,
        boolean deadLetter,
        @Key("dead-letter.replay") Replay deadLetterReplay,
        boolean retryAfterFirstElement,
        Nested nested) {

    /** The budget name that means: no budget. */
    public static final String NO_BUDGET = "none";

    public RetryPolicy {
        Require.atLeast(1, "max-attempts", maxAttempts);
        Require.positive("max-duration", maxDuration);
        Require.positive("max-retry-after", maxRetryAfter);
        retryOn = Require.exceptions("retry-on", retryOn);
        doNotRetryOn = Require.exceptions("do-not-retry-on", doNotRetryOn);
        retryOnStatus = Set.copyOf(retryOnStatus);
        Require.none(
                "retry-on-status",
                retryOnStatus.stream()
                        .filter(status -> status < 100 || status > 599)
                        .sorted()
                        .toList(),
                "must be an HTTP status");
    }

    /** What a retry does inside a call that an outer retry repeats already. */
    public enum Nested {
        /** It retries as well. */
        ALLOW,
        /** It leaves retrying to the outer call. */
        SUPPRESS
    }

    /** When calls that ran out of retries are made again. */
    public enum Replay {
        /** When an operator says so. */
        MANUAL,
        /** In the background, again and again with growing waits. */
        AUTO
    }

    /** Three attempts, one second apart and growing, with full jitter and a budget. */
    public static RetryPolicy defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** The longest time that all waits together can take, hints of the server left aside. */
    public Duration worstCaseWait() {
        return backoff.worstCase(maxAttempts - 1);
    }

    /** Builds a policy; the record tells more about each value. Not safe for use by many threads. */
    public static final class Builder {

        private int maxAttempts = 3;
        private @Nullable Duration maxDuration;
        private Backoff backoff = Backoff.DEFAULT;
        private List<Class<? extends Throwable>> retryOn = List.of();
        private List<Class<? extends Throwable>> doNotRetryOn = List.of();
        private @Nullable Predicate<? super Throwable> retryIf;
        private boolean retryUnknown;
        private Set<Integer> retryOnStatus = FaultClassification.TRANSIENT_STATUSES;
        private @Nullable Predicate<@Nullable Object> retryOnResult;
        private boolean failWhenExhausted;
        private boolean honorRetryAfter = true;
        private Duration maxRetryAfter = Duration.ofSeconds(60);
        private @Nullable String budget;
        private boolean deadLetter;
        private Replay deadLetterReplay = Replay.MANUAL;
        private boolean retryAfterFirstElement;
        private Nested nested = Nested.ALLOW;

        private Builder() {}

        /** Calls in all, the first one included; default 3, at least 1. */
        public Builder maxAttempts(int calls) {
            maxAttempts = calls;
            return this;
        }

        /** Time from the first call on after which no retry begins; above zero, default {@code null}: no limit. */
        public Builder maxDuration(@Nullable Duration fromFirstCall) {
            maxDuration = fromFirstCall;
            return this;
        }

        /** How long to wait; default {@link Backoff#DEFAULT}. */
        public Builder backoff(Backoff waits) {
            backoff = waits;
            return this;
        }

        /** Exceptions that are retried, subclasses included, whatever the classification says; default none. */
        public Builder retryOn(List<Class<? extends Throwable>> exceptions) {
            retryOn = exceptions;
            return this;
        }

        /** Exceptions that are never retried, subclasses included; default none. */
        public Builder doNotRetryOn(List<Class<? extends Throwable>> exceptions) {
            doNotRetryOn = exceptions;
            return this;
        }

        /** Tells of a failure that no list matches whether it is retried; default {@code null}: it is classified. */
        public Builder retryIf(@Nullable Predicate<? super Throwable> rule) {
            retryIf = rule;
            return this;
        }

        /** Whether failures are retried that are neither known to be transient nor permanent; default false. */
        public Builder retryUnknown(boolean isRetried) {
            retryUnknown = isRetried;
            return this;
        }

        /** HTTP statuses that count as transient, from 100 to 599; default 408, 429, 502, 503, 504. */
        public Builder retryOnStatus(Set<Integer> statuses) {
            retryOnStatus = statuses;
            return this;
        }

        /** Tells of a result whether it asks for another attempt; default {@code null}: none does. */
        public Builder retryOnResult(@Nullable Predicate<@Nullable Object> rule) {
            retryOnResult = rule;
            return this;
        }

        /** Whether a last result that still asks for another attempt is a failure of the call; default false. */
        public Builder failWhenExhausted(boolean isFailure) {
            failWhenExhausted = isFailure;
            return this;
        }

        /** Whether the delay is at least the server's {@code Retry-After}; default true. */
        public Builder honorRetryAfter(boolean isHonored) {
            honorRetryAfter = isHonored;
            return this;
        }

        /** The longest {@code Retry-After} that is waited for; a longer one ends it; default 60 s, above zero. */
        public Builder maxRetryAfter(Duration longestHint) {
            maxRetryAfter = longestHint;
            return this;
        }

        /** A shared budget, or {@link RetryPolicy#NO_BUDGET}; default {@code null}: one of its own. */
        public Builder budget(@Nullable String name) {
            budget = name;
            return this;
        }

        /** Whether a call that ran out of retries is kept; default false. Has no effect without Spring. */
        public Builder deadLetter(boolean isKept) {
            deadLetter = isKept;
            return this;
        }

        /** When calls that are kept are replayed; default {@link Replay#MANUAL}. */
        public Builder deadLetterReplay(Replay when) {
            deadLetterReplay = when;
            return this;
        }

        /** Whether a stream is retried after its first element; default false. */
        public Builder retryAfterFirstElement(boolean isRetried) {
            retryAfterFirstElement = isRetried;
            return this;
        }

        /** What a retry does inside another retrying call; default {@link Nested#ALLOW}. */
        public Builder nested(Nested insideRetries) {
            nested = insideRetries;
            return this;
        }

        /** Throws an {@link dev.resilience.policy.InvalidPolicyException} that names a value out of its limits. */
        public RetryPolicy build() {
            return new RetryPolicy(
                    maxAttempts,
                    maxDuration,
                    backoff,
                    retryOn,
                    doNotRetryOn,
                    retryIf,
                    retryUnknown,
                    retryOnStatus,
                    retryOnResult,
                    failWhenExhausted,
                    honorRetryAfter,
                    maxRetryAfter,
                    budget,
                    deadLetter,
                    deadLetterReplay,
                    retryAfterFirstElement,
                    nested);
        }
    }
}
