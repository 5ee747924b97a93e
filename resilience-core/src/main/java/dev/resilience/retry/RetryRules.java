package dev.resilience.retry;

import dev.resilience.context.Attempt;
import dev.resilience.exception.ResilienceException;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.fault.ExceptionRules;
import dev.resilience.fault.Fault;
import dev.resilience.fault.HttpFailure;
import dev.resilience.fault.RetryAfter;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.UnstoredAnswer;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a retry policy makes of the end of an attempt: whether another one could end better, and when. A rule of the
 * application that is broken is logged and does not take the place of the attempt's own end. A call keeps the rules that it
 * began with.
 */
final class RetryRules {

    private final RetryPolicy policy;
    private final ExceptionRules lists;
    private final ExceptionRules listsForRefusals;
    private final Set<Integer> statusesOfIdempotentCalls;
    private final Parts parts;

    /** What a change of the policy does not change. */
    record Parts(CompositeFaultClassifier faults, DoubleSupplier random, TransactionState transactions, RetryLog log) {}

    /** A rule of the application that threw, and what the call does without it. */
    @SuppressWarnings("ImmutableEnumChecker") // a line is a record of values
    enum BrokenRule {
        RESULT(LogLine.warn("retry_on_result_failed"), "retry-on-result", "the call's own result is returned"),
        FAILURE(LogLine.warn("retry_if_failed"), "retry-if", "the failure is not retried"),
        BACKOFF(LogLine.warn("retry_backoff_function_failed"), "backoff.function", "the policy's own backoff is used");

        final LogLine line;
        final String key;
        final String consequence;

        BrokenRule(LogLine line, String key, String consequence) {
            this.line = line;
            this.key = key;
            this.consequence = consequence;
        }
    }

    RetryRules(RetryPolicy policy, Parts parts) {
        this.policy = policy;
        this.lists = new ExceptionRules(policy.retryOn(), policy.doNotRetryOn());
        this.listsForRefusals = lists.within(ResilienceException.class);
        Set<Integer> statuses = new HashSet<>(policy.retryOnStatus());
        statuses.add(500);
        this.statusesOfIdempotentCalls = Set.copyOf(statuses);
        this.parts = parts;
    }

    RetryRules with(RetryPolicy changed) {
        return new RetryRules(changed, parts);
    }

    RetryPolicy policy() {
        return policy;
    }

    /** Whether there are to be no retries here, because an outer retry repeats the call. */
    static boolean leavesRetryingTo(RetryPolicy policy, @Nullable Attempt outer) {
        return outer != null && !outer.isReplay() && policy.nested() == RetryPolicy.Nested.SUPPRESS;
    }

    /**
     * Whether another attempt could end better than with this failure.
     *
     * @param isIdempotent whether the call may safely be repeated whatever happened
     */
    boolean isRetryable(Throwable failure, boolean isIdempotent) {
        boolean refusal = ResilienceException.isRefusal(failure);
        Boolean listed = (refusal ? listsForRefusals : lists).verdict(failure);
        if (listed != null) {
            return listed;
        }
        Predicate<? super Throwable> retryIf = policy.retryIf();
        if (retryIf != null && !refusal) {
            return isWanted(retryIf, failure);
        }
        Fault fault = refusal ? ((ResilienceException) failure).faultOfAttempt() : Fault.UNKNOWN;
        if (fault == Fault.UNKNOWN) {
            fault = parts.faults.classify(failure, isIdempotent ? statusesOfIdempotentCalls : policy.retryOnStatus());
        }
        if (fault == Fault.UNKNOWN && !policy.retryUnknown()) {
            parts.log.unknown(failure);
        }
        return fault == Fault.TRANSIENT || (fault == Fault.UNKNOWN && policy.retryUnknown());
    }

    boolean reliesOnClassification() {
        return policy.retryOn().isEmpty()
                && policy.doNotRetryOn().isEmpty()
                && !policy.retryUnknown()
                && policy.retryIf() == null;
    }

    private boolean isWanted(Predicate<? super Throwable> rule, Throwable failure) {
        try {
            return rule.test(failure);
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            parts.log.broken(BrokenRule.FAILURE, broken);
            return false;
        }
    }

    /** Whether the policy says of a result that the method is to be tried again. */
    boolean asksForRetry(@Nullable Object result) {
        Predicate<@Nullable Object> rule = policy.retryOnResult();
        if (rule == null) {
            return false;
        }
        try {
            return rule.test(UnstoredAnswer.unwrap(result));
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            parts.log.broken(BrokenRule.RESULT, broken);
            return false;
        }
    }

    /**
     * Closes a result that no caller gets, because it asks for another attempt.
     *
     * @return whether there was something to close
     */
    boolean close(@Nullable Object result) {
        if (!(UnstoredAnswer.unwrap(result) instanceof AutoCloseable closeable)) {
            return false;
        }
        try {
            closeable.close();
        } catch (Throwable broken) {
            if (broken instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            parts.log.notClosed(broken);
        }
        return true;
    }

    /**
     * Why the transaction of the current thread can only be rolled back, so that no attempt inside of it can succeed; {@code
     * null} if it can be committed, or if there is none.
     *
     * @param failure what the attempt threw on this thread; {@code null} if it returned something that asks for another one
     */
    @Nullable
    String whyTransactionLost(@Nullable Throwable failure) {
        try {
            return parts.transactions.whyLost(failure);
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            if (broken instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            parts.log.brokenTransactionState(broken);
            return null;
        }
    }

    /**
     * The wait before the next retry, hints of the server left aside.
     *
     * @param attempt the number of the one that has ended
     * @param previous the wait before it, {@link Backoff#baseDelay()} if there was none
     */
    Duration backoff(int attempt, Duration previous, @Nullable Throwable failure, @Nullable Object result) {
        Duration own = ownBackoff(attempt, failure, result);
        return own != null ? own : policy.backoff().delay(attempt - 1, previous, parts.random.getAsDouble());
    }

    private @Nullable Duration ownBackoff(int attempt, @Nullable Throwable failure, @Nullable Object result) {
        BackoffFunction function = policy.backoff().function();
        if (function == null) {
            return null;
        }
        try {
            Duration delay = function.delay(attempt, failure, UnstoredAnswer.unwrap(result));
            if (delay.isNegative()) {
                throw new IllegalArgumentException("A delay must not be negative: " + delay);
            }
            Duration longest = policy.backoff().maxDelay();
            return delay.compareTo(longest) > 0 ? longest : delay;
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            parts.log.broken(BrokenRule.BACKOFF, broken);
            return null;
        }
    }

    /** How long the server that failed asks to wait, if it does and the policy cares. */
    @Nullable
    Duration hint(Throwable failed, TimeSource time) {
        if (!policy.honorRetryAfter()) {
            return null;
        }
        HttpFailure answer = parts.faults.httpFailure(failed);
        if (answer == null || answer.retryAfter() == null) {
            return null;
        }
        return RetryAfter.parse(answer.retryAfter(), time.now());
    }
}
