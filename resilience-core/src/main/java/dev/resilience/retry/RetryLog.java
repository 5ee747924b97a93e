package dev.resilience.retry;

import dev.resilience.fault.Faults;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a retry writes to the log. Never arguments, keys or results. */
final class RetryLog {

    private static final Logger log = LoggerFactory.getLogger(Retry.class);

    /** Exception types made at run time (proxies, scripts) must not fill the memory. */
    private static final int MOST_REMEMBERED = 1_000;

    private final String policy;
    private final int maxAttempts;
    private final Set<String> unknownTypes = ConcurrentHashMap.newKeySet();
    private final Set<String> outerRetries = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean resultRuleReported = new AtomicBoolean();

    RetryLog(String policy, int maxAttempts) {
        this.policy = policy;
        this.maxAttempts = maxAttempts;
    }

    void retrying(int attempt, Duration delay, @Nullable Throwable failure) {
        String errorType = failure == null ? "result" : failure.getClass().getName();
        String errorMessage = failure == null ? "the result asks for another try" : messageOf(failure);
        log.atWarn()
                .addKeyValue("event", "retry_attempt")
                .addKeyValue("policy", policy)
                .addKeyValue("attempt", attempt)
                .addKeyValue("maxAttempts", maxAttempts)
                .addKeyValue("delayMs", delay.toMillis())
                .addKeyValue("errorType", errorType)
                .addKeyValue("errorMessage", errorMessage)
                .log(
                        "Retry '{}': attempt {} of {} failed, the next one follows in {} ms: {}: {}",
                        policy,
                        attempt,
                        maxAttempts,
                        delay.toMillis(),
                        errorType,
                        errorMessage);
    }

    /** A message that is made when it is asked for may fail, which must not take the place of the failure. */
    private static String messageOf(Throwable failure) {
        try {
            return String.valueOf(failure.getMessage());
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            return "(its message fails with " + broken.getClass().getName() + ")";
        }
    }

    void recovered(int attempts) {
        log.atInfo()
                .addKeyValue("event", "retry_recovered")
                .addKeyValue("policy", policy)
                .addKeyValue("attempt", attempts)
                .addKeyValue("maxAttempts", maxAttempts)
                .log("Retry '{}': attempt {} of {} succeeded", policy, attempts, maxAttempts);
    }

    /** Reported once for every pair. */
    void nested(String outer) {
        if (!outerRetries.contains(outer) && outerRetries.size() < MOST_REMEMBERED && outerRetries.add(outer)) {
            log.atWarn()
                    .addKeyValue("event", "retry_nested")
                    .addKeyValue("policy", policy)
                    .addKeyValue("outer", outer)
                    .log(
                            "Retry '{}' works inside {}, so the attempts of both multiply. To leave retrying to the outer "
                                    + "one, set resilience.retry.{}.nested to suppress. Logged once.",
                            policy,
                            outer,
                            policy);
        }
    }

    void brokenResultRule(Throwable broken) {
        if (resultRuleReported.compareAndSet(false, true)) {
            log.atWarn()
                    .addKeyValue("event", "retry_on_result_failed")
                    .addKeyValue("policy", policy)
                    .setCause(broken)
                    .log(
                            "Retry '{}': resilience.retry.{}.retry-on-result could not be evaluated, so the call's own "
                                    + "result is returned. Logged once.",
                            policy,
                            policy);
        }
    }

    /** Reported once for every type and the type at the bottom of it, for wrappers look alike. */
    void unknown(Throwable failure) {
        String type = failure.getClass().getName();
        String root = Faults.rootCause(failure).getClass().getName();
        String both = type.equals(root) ? type : type + ", caused by " + root + ",";
        if (unknownTypes.size() < MOST_REMEMBERED && unknownTypes.add(both)) {
            log.atInfo()
                    .addKeyValue("event", "retry_unknown_fault")
                    .addKeyValue("policy", policy)
                    .addKeyValue("errorType", type)
                    .log(
                            "Retry '{}': {} is not retried, for nothing tells whether it is transient. To retry it, add "
                                    + "{} to resilience.retry.{}.retry-on; to silence this line, add it to "
                                    + "resilience.retry.{}.do-not-retry-on",
                            policy,
                            both,
                            type.equals(root) ? "it" : root,
                            policy,
                            policy);
        }
    }
}
