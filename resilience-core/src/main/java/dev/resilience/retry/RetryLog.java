package dev.resilience.retry;

import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.log.LoggedFailure;
import dev.resilience.policy.PropertyNames;
import dev.resilience.retry.RetryReports.EndedCall;
import dev.resilience.retry.RetryRules.BrokenRule;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a retry writes to the log. Never arguments, keys or results, and never what may not happen: a retry has a line when
 * it begins, and a call that ends without success when it has ended.
 */
final class RetryLog {

    private static final Logger log = LoggerFactory.getLogger(Retry.class);

    private static final LogLine ATTEMPT = LogLine.warn("retry_attempt", "retries", "retries");
    private static final LogLine RECOVERED = LogLine.info("retry_recovered", "recovered", "recovered");
    private static final LogLine EXHAUSTED = LogLine.warn("retry_exhausted", "exhausted", "out of attempts");
    private static final LogLine BUDGET_EXHAUSTED =
            LogLine.warn("retry_budget_exhausted", "budgetExhausted", "refused by the budget");
    private static final LogLine OUT_OF_TIME = LogLine.warn("retry_out_of_time", "outOfTime", "out of time");

    /** The caller gets the failure, and nothing was repeated: no line. */
    private static final LogLine NOT_RETRYABLE = LogLine.counted("notRetryable", "not retryable");

    /** The caller gave up: no line. */
    private static final LogLine INTERRUPTED = LogLine.counted("interrupted", "interrupted");

    private static final LogLine LOST_TRANSACTION = LogLine.warn("retry_in_lost_transaction");
    private static final LogLine NESTED = LogLine.warn("retry_nested");
    private static final LogLine RESULT_NOT_CLOSED = LogLine.warn("retry_result_not_closed");
    private static final LogLine TRANSACTION_STATE_FAILED = LogLine.warn("transaction_state_failed");
    private static final LogLine UNKNOWN_FAULT = LogLine.warn("retry_unknown_fault");

    /** Exception types made at run time (proxies, scripts) must not fill the memory. */
    private static final int MOST_REMEMBERED = 1_000;

    private static final LoggedFailure OF_RESULT = new LoggedFailure("result", "the result asks for another try");

    private final String policy;
    private final String properties;
    private final FoldedLog lines;
    private final Set<String> unknownTypes = ConcurrentHashMap.newKeySet();
    private final Set<String> outerRetries = ConcurrentHashMap.newKeySet();
    private final Set<BrokenRule> brokenRules = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean resultNotClosedReported = new AtomicBoolean();
    private final AtomicBoolean lostTransactionReported = new AtomicBoolean();
    private final AtomicBoolean transactionStateReported = new AtomicBoolean();

    RetryLog(String policy, TimeSource time) {
        this.policy = policy;
        this.properties = PropertyNames.of("resilience.retry", policy) + ".";
        this.lines = new FoldedLog(
                log,
                time,
                "Retry",
                policy,
                "retry_summary",
                ATTEMPT,
                RECOVERED,
                EXHAUSTED,
                BUDGET_EXHAUSTED,
                OUT_OF_TIME,
                NOT_RETRYABLE,
                INTERRUPTED);
    }

    /**
     * A retry begins.
     *
     * @param attempt the number of the attempt that failed
     * @param waited the wait that is over
     */
    void retrying(int attempt, int maxAttempts, Duration waited, @Nullable Throwable failure) {
        lines.write(ATTEMPT, failure, line -> {
            LoggedFailure failed = logged(failure);
            long delayMs = waited.toMillis();
            failed.addTo(line.addKeyValue("attempt", attempt)
                            .addKeyValue("maxAttempts", maxAttempts)
                            .addKeyValue("delayMs", delayMs))
                    .log(
                            "Retry '{}': attempt {} of {} failed and is repeated after {} ms: {}",
                            policy,
                            attempt,
                            maxAttempts,
                            delayMs,
                            failed);
        });
    }

    void recovered(int attempts, int maxAttempts) {
        lines.write(
                RECOVERED,
                null,
                line -> line.addKeyValue("attempt", attempts)
                        .addKeyValue("maxAttempts", maxAttempts)
                        .log("Retry '{}': attempt {} of {} succeeded", policy, attempts, maxAttempts));
    }

    /** A call has ended otherwise than with a success. */
    void failed(EndedCall call) {
        switch (call.outcome()) {
            case EXHAUSTED -> gaveUp(EXHAUSTED, call);
            case BUDGET_EXHAUSTED -> gaveUp(BUDGET_EXHAUSTED, call);
            case OUT_OF_TIME -> gaveUp(OUT_OF_TIME, call);
            case NOT_RETRYABLE -> lines.count(NOT_RETRYABLE);
            case INTERRUPTED -> lines.count(INTERRUPTED);
            case SUCCESS, SUCCESS_AFTER_RETRY -> {}
        }
    }

    private void gaveUp(LogLine event, EndedCall call) {
        lines.write(event, call.failure(), line -> {
            LoggedFailure failed = logged(call.failure());
            failed.addTo(line.addKeyValue("attempt", call.attempts())
                            .addKeyValue("maxAttempts", call.maxAttempts())
                            .addKeyValue("reason", call.why()))
                    .log(
                            "Retry '{}': attempt {} of {} failed and is not repeated, because {}: {}",
                            policy,
                            call.attempts(),
                            call.maxAttempts(),
                            call.why(),
                            failed);
        });
    }

    /** What stands for a failure where there is room for its type alone. */
    static String typeOf(@Nullable Throwable failure) {
        return failure == null ? OF_RESULT.type() : failure.getClass().getName();
    }

    private static LoggedFailure logged(@Nullable Throwable failure) {
        return failure == null ? OF_RESULT : LoggedFailure.of(failure);
    }

    /** Writes what is folded. */
    void close() {
        lines.close();
    }

    /** Reported once for every pair. */
    void nested(String outer) {
        if (!outerRetries.contains(outer) && outerRetries.size() < MOST_REMEMBERED && outerRetries.add(outer)) {
            NESTED.in(log, policy)
                    .addKeyValue("outer", outer)
                    .log(
                            "Retry '{}' works inside {}, so the attempts of both multiply. To leave retrying to the outer "
                                    + "one, set {}nested to suppress. Logged once.",
                            policy,
                            outer,
                            properties);
        }
    }

    /** Reported once. */
    void transactionLost(String why) {
        if (lostTransactionReported.compareAndSet(false, true)) {
            LOST_TRANSACTION
                    .in(log, policy)
                    .addKeyValue("reason", why)
                    .log(
                            "Retry '{}': a failed attempt is not repeated, because it was made in a transaction that was open "
                                    + "before it, and which can only be rolled back: {}. To retry, protect the method that "
                                    + "begins the transaction, or let the retried method begin its own "
                                    + "(Propagation.REQUIRES_NEW). Logged once.",
                            policy,
                            why);
        }
    }

    /** Reported once. */
    void brokenTransactionState(Throwable broken) {
        if (transactionStateReported.compareAndSet(false, true)) {
            TRANSACTION_STATE_FAILED
                    .in(log, policy)
                    .setCause(broken)
                    .log(
                            "Retry '{}': the TransactionState could not tell what has become of the transaction around a failed "
                                    + "attempt, so the call goes on as if there were none. Logged once.",
                            policy);
        }
    }

    /** Reported once for every rule. */
    void broken(BrokenRule rule, Throwable broken) {
        if (brokenRules.add(rule)) {
            rule.line
                    .in(log, policy)
                    .setCause(broken)
                    .log(
                            "Retry '{}': {}{} could not be evaluated, so {}. Logged once.",
                            policy,
                            properties,
                            rule.key,
                            rule.consequence);
        }
    }

    /** Reported once. */
    void notClosed(Throwable broken) {
        if (resultNotClosedReported.compareAndSet(false, true)) {
            RESULT_NOT_CLOSED
                    .in(log, policy)
                    .setCause(broken)
                    .log(
                            "Retry '{}': a result that asked for another attempt, and so is not returned, could not be "
                                    + "closed. Logged once.",
                            policy);
        }
    }

    /** Reported once for every type and the type at the bottom of it, for wrappers look alike. */
    void unknown(Throwable failure) {
        String type = failure.getClass().getName();
        String root = CompositeFaultClassifier.rootCause(failure).getClass().getName();
        String both = type.equals(root) ? type : type + ", caused by " + root + ",";
        if (unknownTypes.size() < MOST_REMEMBERED && unknownTypes.add(both)) {
            UNKNOWN_FAULT
                    .in(log, policy)
                    .addKeyValue("errorType", type)
                    .log(
                            "Retry '{}': {} is not retried, because nothing tells whether it is transient. To retry it, add "
                                    + "{} to {}retry-on; to retry all unknown failures, set {}retry-unknown to true; to "
                                    + "silence this line, add it to {}do-not-retry-on",
                            policy,
                            both,
                            type.equals(root) ? "it" : root,
                            properties,
                            properties,
                            properties);
        }
    }
}
