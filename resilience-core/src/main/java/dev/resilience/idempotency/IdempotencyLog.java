package dev.resilience.idempotency;

import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.log.LoggedFailure;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import org.slf4j.LoggerFactory;

/** What an idempotency policy writes to the log: above all, that its store does not answer. Never keys or results. */
final class IdempotencyLog implements AutoCloseable {

    private static final LogLine REFUSED =
            LogLine.warn("idempotency_store_failed", "storeFailed", "refused because the store does not answer");
    private static final LogLine UNPROTECTED =
            LogLine.warn("idempotency_unprotected", "unprotected", "run unprotected");
    private static final LogLine RENEWAL_FAILED =
            LogLine.warn("idempotency_renewal_failed", "renewalFailed", "leases not renewed");
    private static final LogLine LEASE_LOST = LogLine.warn("idempotency_lease_lost", "leaseLost", "leases lost");
    private static final LogLine COMPLETION_FAILED =
            LogLine.warn("idempotency_completion_failed", "completionFailed", "ends not stored");
    private static final LogLine CHECK_FAILED =
            LogLine.warn("idempotency_check_failed", "checkFailed", "ends of transactions not found out");
    private static final LogLine RESULT_NOT_KEPT =
            LogLine.warn("idempotency_result_not_kept", "resultNotKept", "results not kept");
    private final String policy;
    private final FoldedLog log;

    IdempotencyLog(String policy, TimeSource time) {
        this.policy = policy;
        this.log = new FoldedLog(
                LoggerFactory.getLogger(Idempotency.class),
                time,
                "Idempotency",
                policy,
                "idempotency_summary",
                REFUSED,
                UNPROTECTED,
                RENEWAL_FAILED,
                LEASE_LOST,
                COMPLETION_FAILED,
                CHECK_FAILED,
                RESULT_NOT_KEPT);
    }

    void refused(Throwable unavailable) {
        failed(REFUSED, "the store does not answer, so the call was not made", unavailable);
    }

    void unprotected(Throwable unavailable) {
        failed(UNPROTECTED, "the store does not answer; the call runs unprotected", unavailable);
    }

    void renewalFailed(Duration nextTry, Throwable unavailable) {
        failed(RENEWAL_FAILED, "a lease could not be renewed; next try in " + nextTry, unavailable);
    }

    void completionFailed(String operation, Throwable unavailable) {
        failed(
                COMPLETION_FAILED,
                "how a call of " + operation + " ended could not be stored; its key stays taken until the lease ends",
                unavailable);
    }

    void checkFailed(String operation, Throwable unavailable) {
        failed(
                CHECK_FAILED,
                "how the transaction of a call of " + operation + " ended could not be found out yet",
                unavailable);
    }

    private void failed(LogLine event, String what, Throwable unavailable) {
        log.write(
                event,
                unavailable,
                line -> LoggedFailure.of(unavailable)
                        .addTo(line)
                        .setCause(unavailable)
                        .log("Idempotency '{}': {}", policy, what));
    }

    void leaseLost() {
        log.write(
                LEASE_LOST,
                null,
                line -> line.log("Idempotency '{}': a running call has lost its lease to another one", policy));
    }

    /**
     * @param why as a sentence without its full stop
     */
    void resultNotKept(String why) {
        log.write(
                RESULT_NOT_KEPT,
                null,
                line -> line.addKeyValue("reason", why)
                        .log("Idempotency '{}': {}; it is not stored and its key is free again", policy, why));
    }

    @Override
    public void close() {
        log.close();
    }
}
