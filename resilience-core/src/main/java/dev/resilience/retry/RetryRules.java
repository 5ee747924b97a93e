package dev.resilience.retry;

import dev.resilience.context.Attempt;
import dev.resilience.exception.ResilienceException;
import dev.resilience.fault.ExceptionRules;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.HttpFailure;
import dev.resilience.fault.RetryAfter;
import dev.resilience.policy.Require;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
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
    final Parts parts;

    /** What a change of the policy does not change. */
    record Parts(
            FaultClassification faults, DoubleSupplier random, TransactionState transactions, RetryReports reports) {}

    RetryRules(RetryPolicy policy, Parts parts) {
        this.policy = policy;
        this.lists = new ExceptionRules(policy.retryOn(), policy.doNotRetryOn());
        this.listsForRefusals = lists.within(ResilienceException.class);
        Set<Integer> statuses = new HashSet<>(policy.retryOnStatus());
        statuses.add(500);
        this.statusesOfIdempotentCalls = Set.copyOf(statuses);
        this.parts = parts;
    }

    RetryPolicy policy() {
        return policy;
    }

    /** Whether there are to be no retries here, because an outer retry repeats the call, or a hedge has a first attempt too. */
    static boolean leavesRetryingTo(RetryPolicy policy, @Nullable Attempt outer) {
        boolean suppresses = policy.nested() == RetryPolicy.Nested.SUPPRESS;
        return outer != null && (outer.ofHedge() == 2 || (outer.ofHedge() == 0 && !outer.isReplay() && suppresses));
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
            return parts.reports.log().asks(retryIf, failure, "retry-if", "the failure is not retried");
        }
        Fault fault = refusal ? ((ResilienceException) failure).faultOfAttempt() : Fault.UNKNOWN;
        if (fault == Fault.UNKNOWN) {
            fault = parts.faults.classify(
                    failure, isIdempotent ? statusesOfIdempotentCalls : policy.retryOnStatus(), true);
        }
        if (fault == Fault.UNKNOWN && !policy.retryUnknown()) {
            parts.reports.unknown(failure);
        }
        return fault == Fault.TRANSIENT || (fault == Fault.UNKNOWN && policy.retryUnknown());
    }

    /** Whether the policy says of a result that the method is to be tried again. */
    boolean asksForRetry(@Nullable Object result) {
        Predicate<@Nullable Object> rule = policy.retryOnResult();
        return rule != null
                && parts.reports.log().asks(rule, result, "retry-on-result", "the call's own result is returned");
    }

    /**
     * Closes a result that no caller gets, because it asks for another attempt.
     *
     * @return whether there was something to close
     */
    boolean close(@Nullable Object result) {
        if (!(result instanceof AutoCloseable closeable)) {
            return false;
        }
        String consequence = "a result that asked for another attempt stays open";
        guarded("close", consequence, () -> {
            closeable.close();
            return null;
        });
        return true;
    }

    /**
     * Why the transaction of the current thread can only be rolled back, so that no attempt inside it can succeed; {@code
     * null} if it can be committed, or if there is none.
     *
     * @param failure what the attempt threw on this thread; {@code null} if it returned something that asks for another one
     */
    @Nullable
    String whyTransactionLost(@Nullable Throwable failure) {
        String consequence = "the call goes on as if there were no transaction";
        return guarded("TransactionState", consequence, () -> parts.transactions.whyLost(failure));
    }

    /**
     * The wait before the next retry, hints of the server left aside.
     *
     * @param attempt the number of the one that has ended
     * @param previous the wait before it, {@link Backoff#baseDelay()} if there was none
     */
    Duration backoff(int attempt, Duration previous, @Nullable Throwable failure, @Nullable Object result) {
        Backoff backoff = policy.backoff();
        BackoffFunction function = backoff.function();
        Duration own = function == null
                ? null
                : guarded("backoff.function", "the policy's own backoff is used", () -> {
                    Duration delay = function.delay(attempt, failure, result);
                    Require.notNegative("backoff.function", delay);
                    return Durations.min(delay, backoff.maxDelay());
                });
        return own != null ? own : backoff.delay(attempt - 1, previous, parts.random.getAsDouble());
    }

    /** Runs code of the application's: {@code null} if it is broken. It may throw a checked exception too, sneakily. */
    private <T> @Nullable T guarded(String callback, String consequence, Callable<? extends @Nullable T> code) {
        try {
            return code.call();
        } catch (Throwable broken) {
            parts.reports.log().callbackFailed(callback, consequence, broken);
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
        return answer == null || answer.retryAfter() == null ? null : RetryAfter.parse(answer.retryAfter(), time.now());
    }
}
