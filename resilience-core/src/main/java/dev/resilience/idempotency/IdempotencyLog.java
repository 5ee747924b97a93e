package dev.resilience.idempotency;

import dev.resilience.log.FoldedLog;
import dev.resilience.log.LoggedFailure;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import org.slf4j.LoggerFactory;

/** What an idempotency policy writes to the log: above all, that its store does not answer. Never keys or results. */
final class IdempotencyLog implements AutoCloseable {

    private final String policy;
    private final FoldedLog<IdempotencyLogEvent> log;

    IdempotencyLog(String policy, TimeSource time) {
        this.policy = policy;
        this.log = new FoldedLog<>(
                LoggerFactory.getLogger(Idempotency.class),
                time,
                "Idempotency",
                policy,
                "idempotency_summary",
                IdempotencyLogEvent.class);
    }

    void refused(Throwable unavailable) {
        failed(IdempotencyLogEvent.REFUSED, "the store does not answer, so the call was not made", unavailable);
    }

    void unprotected(Throwable unavailable) {
        failed(IdempotencyLogEvent.UNPROTECTED, "the store does not answer; the call runs unprotected", unavailable);
    }

    void renewalFailed(Duration nextTry, Throwable unavailable) {
        failed(IdempotencyLogEvent.RENEWAL_FAILED, "a lease could not be renewed; next try in " + nextTry, unavailable);
    }

    void completionFailed(String operation, Throwable unavailable) {
        failed(
                IdempotencyLogEvent.COMPLETION_FAILED,
                "how a call of " + operation + " ended could not be stored; its key stays taken until the lease ends",
                unavailable);
    }

    void checkFailed(String operation, Throwable unavailable) {
        failed(
                IdempotencyLogEvent.CHECK_FAILED,
                "how the transaction of a call of " + operation + " ended could not be found out yet",
                unavailable);
    }

    private void failed(IdempotencyLogEvent event, String what, Throwable unavailable) {
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
                IdempotencyLogEvent.LEASE_LOST,
                null,
                line -> line.log("Idempotency '{}': a running call has lost its lease to another one", policy));
    }

    /**
     * @param why as a sentence without its full stop
     */
    void resultNotKept(String why) {
        log.write(
                IdempotencyLogEvent.RESULT_NOT_KEPT,
                null,
                line -> line.addKeyValue("reason", why)
                        .log("Idempotency '{}': {}; it is not stored and its key is free again", policy, why));
    }

    @Override
    public void close() {
        log.close();
    }
}
