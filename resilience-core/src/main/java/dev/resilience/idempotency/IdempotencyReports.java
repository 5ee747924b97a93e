package dev.resilience.idempotency;

import dev.resilience.event.IdempotencyDecided;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Reports;

/**
 * Counts, publishes and logs what becomes of the calls of an idempotency policy: in the log above all, that its store does not
 * answer. Never keys or results. Safe for use by many threads.
 */
final class IdempotencyReports extends Reports<IdempotencyOutcome> {

    static final LogLine REFUSED = LogLine.warn("idempotency_store_failed", "store_failure");
    static final LogLine UNPROTECTED = LogLine.warn("idempotency_unprotected", "store_failure");
    static final LogLine RENEWAL_FAILED = LogLine.warn("idempotency_renewal_failed");
    static final LogLine COMPLETION_FAILED = LogLine.warn("idempotency_completion_failed", "store_failure");
    static final LogLine CHECK_FAILED = LogLine.warn("idempotency_check_failed");
    private static final LogLine LEASE_LOST = LogLine.warn("idempotency_lease_lost", "lease_lost");
    private static final LogLine RESULT_NOT_KEPT = LogLine.warn("idempotency_result_not_kept");
    private static final LogLine NOT_REPLAYED = LogLine.warn("idempotency_exception_not_replayed");

    IdempotencyReports(String name, Environment environment) {
        super(
                Idempotency.class,
                "Idempotency",
                "idempotency_summary",
                name,
                environment,
                new OutcomeCounters<>(IdempotencyOutcome.class));
    }

    /** A call has ended so. */
    void count(IdempotencyOutcome outcome) {
        calls.count(outcome);
        publish(() -> new IdempotencyDecided(time.now(), name, outcome));
    }

    /** The store has failed. */
    void failed(LogLine event, String what, Throwable unavailable) {
        log.write(
                event,
                unavailable,
                (line, failed) -> line.setCause(unavailable).log("Idempotency '{}': {}", name, what));
    }

    void completionFailed(IdempotentOperation operation, Throwable unavailable) {
        String what = "how a call of " + operation.name()
                + " ended could not be stored; its key stays taken until the lease ends";
        failed(COMPLETION_FAILED, what, unavailable);
    }

    void leaseLost() {
        log.write(
                LEASE_LOST,
                line -> line.log("Idempotency '{}': a running call has lost its lease to another one", name));
    }

    /**
     * @param why as a sentence without its full stop
     */
    void resultNotKept(String why) {
        log.write(
                RESULT_NOT_KEPT,
                line -> line.addKeyValue("reason", why)
                        .log("Idempotency '{}': {}; it is not stored and its key is free again", name, why));
    }

    /** Once for each type. */
    void notReplayed(String type) {
        String cure =
                "is not replayed, and its key is free again, because its constructor refuses the message that it was "
                        + "thrown with: give the class a public constructor that takes the message as it is. Logged once.";
        log.once(
                type,
                NOT_REPLAYED,
                line -> line.addKeyValue("errorType", type).log("Idempotency '{}': a {} {}", name, type, cure));
    }
}
