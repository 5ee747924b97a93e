package dev.resilience.retry;

import dev.resilience.exception.ResilienceException;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.fault.ExceptionRules;
import dev.resilience.fault.Fault;
import dev.resilience.fault.HttpFailure;
import dev.resilience.fault.RetryAfter;
import dev.resilience.pipeline.UnstoredAnswer;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a retry policy makes of the end of an attempt: whether another one could end better, and when. A rule of the
 * application that is broken is logged and does not take the place of the attempt's own end.
 */
final class RetryRules {

    private final RetryPolicy policy;
    private final ExceptionRules rules;
    private final ExceptionRules rulesForRefusals;
    private final CompositeFaultClassifier faults;
    private final @Nullable Predicate<@Nullable Object> retryOnResult;
    private final TransactionState transactions;
    private final RetryLog log;

    RetryRules(
            RetryPolicy policy,
            CompositeFaultClassifier faults,
            @Nullable Predicate<@Nullable Object> retryOnResult,
            TransactionState transactions,
            RetryLog log) {
        this.policy = policy;
        this.rules = new ExceptionRules(policy.retryOn(), policy.doNotRetryOn());
        this.rulesForRefusals = rules.within(ResilienceException.class);
        this.faults = faults;
        this.retryOnResult = retryOnResult;
        this.transactions = transactions;
        this.log = log;
    }

    boolean isTransient(Throwable failure, Set<Integer> transientStatuses) {
        boolean refusal = ResilienceException.isRefusal(failure);
        Boolean listed = (refusal ? rulesForRefusals : rules).verdict(failure);
        if (listed != null) {
            return listed;
        }
        Fault fault = refusal ? ((ResilienceException) failure).faultOfAttempt() : Fault.UNKNOWN;
        if (fault == Fault.UNKNOWN) {
            fault = faults.classify(failure, transientStatuses);
        }
        if (fault == Fault.UNKNOWN) {
            log.unknown(failure);
        }
        return fault == Fault.TRANSIENT;
    }

    /** Whether the policy says of a result that the method is to be tried again. */
    boolean asksForRetry(@Nullable Object result) {
        if (retryOnResult == null) {
            return false;
        }
        try {
            return retryOnResult.test(UnstoredAnswer.unwrap(result));
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            log.brokenResultRule(broken);
            return false;
        }
    }

    /**
     * Whether the transaction of the current thread can only be rolled back, so that no attempt inside of it can succeed.
     *
     * @param failure what the attempt threw on this thread; {@code null} if it returned something that asks for another one
     */
    boolean isTransactionLost(@Nullable Throwable failure) {
        try {
            String why = transactions.whyLost(failure);
            if (why != null) {
                log.transactionLost(why);
            }
            return why != null;
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            if (broken instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            log.brokenTransactionState(broken);
            return false;
        }
    }

    /** How long the server that failed asks to wait, if it does and the policy cares. */
    @Nullable
    Duration hint(Throwable failed, TimeSource time) {
        if (!policy.honorRetryAfter()) {
            return null;
        }
        HttpFailure answer = faults.httpFailure(failed);
        if (answer == null || answer.retryAfter() == null) {
            return null;
        }
        return RetryAfter.parse(answer.retryAfter(), time.now());
    }
}
