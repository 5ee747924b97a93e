package dev.resilience.idempotency;

import dev.resilience.log.LogEvent;
import dev.resilience.log.LogLine;

/** What the log of an idempotency policy tells of. */
@SuppressWarnings("ImmutableEnumChecker") // a line is a record of values
enum IdempotencyLogEvent implements LogEvent {
    REFUSED(LogLine.warn("idempotency_store_failed", "storeFailed", "refused because the store does not answer")),
    UNPROTECTED(LogLine.warn("idempotency_unprotected", "unprotected", "run unprotected")),
    RENEWAL_FAILED(LogLine.warn("idempotency_renewal_failed", "renewalFailed", "leases not renewed")),
    LEASE_LOST(LogLine.warn("idempotency_lease_lost", "leaseLost", "leases lost")),
    COMPLETION_FAILED(LogLine.warn("idempotency_completion_failed", "completionFailed", "ends not stored")),
    CHECK_FAILED(LogLine.warn("idempotency_check_failed", "checkFailed", "ends of transactions not found out")),
    RESULT_NOT_KEPT(LogLine.warn("idempotency_result_not_kept", "resultNotKept", "results not kept"));

    private final LogLine line;

    IdempotencyLogEvent(LogLine line) {
        this.line = line;
    }

    @Override
    public LogLine line() {
        return line;
    }
}
