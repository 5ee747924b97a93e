package dev.resilience.bulkhead;

import dev.resilience.context.Deadline;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.CallQueued;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Reports;
import java.time.Duration;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Reports accepted, queued and rejected calls of a bulkhead to its counters, its log and its listeners, and makes the
 * exceptions that rejected callers get.
 */
final class BulkheadReports extends Reports<BulkheadOutcome> {

    static final String STOPPED = "it was stopped before the call began";
    static final String INTERRUPTED = "it was interrupted while it waited in the queue";

    private static final int MIN_SEEN = 1_000;

    private static final LogLine REJECTED = LogLine.warn("bulkhead_rejected", "rejected");
    private static final LogLine TIMED_OUT = LogLine.warn("bulkhead_timed_out", "timed_out");

    private final PermitQueue permits;
    private final LongAdder permitsSeen = new LongAdder(); // granted while a call waited that got one
    private final DoubleAdder permitNanos = new DoubleAdder(); // for which those were held

    BulkheadReports(String name, Environment environment, PermitQueue permits, OutcomeCounters<BulkheadOutcome> calls) {
        super(Bulkhead.class, "Bulkhead", "bulkhead_summary", name, environment, calls);
        this.permits = permits;
    }

    BulkheadReports(String part, boolean isLogged, BulkheadReports ofAll, PermitQueue permits) {
        super(part, isLogged, ofAll);
        this.permits = permits;
    }

    /** For a call that finds neither a permit nor room in the queue. */
    BulkheadFullException full() {
        if (permits.isClosed()) {
            return rejected("the application ends, and calls do not wait in the queue any more");
        }
        int running = permits.limit();
        int waiting = permits.queueLimit();
        return rejected((running == 1 ? "1 call runs" : running + " calls run") + " and " + waiting
                + (waiting == 1 ? " waits" : " wait") + ", which are the limits");
    }

    ResilienceException timedOut(Deadline.Timeout timeout) {
        boolean byDeadline = timeout.byDeadline();
        String why =
                byDeadline ? "the deadline came while it waited in the queue" : "it waited in the queue for " + timeout;
        refused(BulkheadOutcome.TIMED_OUT, TIMED_OUT, why);
        String late = "The deadline came while the call waited in the queue of bulkhead '" + name + "'";
        return byDeadline ? new DeadlineExceededException(late) : new BulkheadFullException(name, why);
    }

    /** Without a reason: the call was cancelled, or is broken. */
    void leftWithoutPermit() {
        calls.count(BulkheadOutcome.REJECTED);
    }

    /**
     * A call has waited for its permit. Meanwhile all permits were held, so by Little's law the time for which one is held is the
     * wait times the permits, divided by those that were granted.
     *
     * @param grantedBefore permits that were granted when the wait began
     */
    BulkheadOutcome served(long since, long grantedBefore) {
        permitsSeen.add(permits.acquisitions() - grantedBefore);
        permitNanos.add((double) (time.nanoTime() - since) * permits.limit());
        return waited(BulkheadOutcome.ACCEPTED, since);
    }

    @Nullable
    Duration measuredDuration() {
        long seen = permitsSeen.sum();
        return seen < MIN_SEEN ? null : Duration.ofNanos((long) (permitNanos.sum() / seen));
    }

    BulkheadOutcome waited(BulkheadOutcome outcome, long since) {
        publish(() -> new CallQueued(time.now(), nameInEvents, outcome, Duration.ofNanos(time.nanoTime() - since)));
        return outcome;
    }

    BulkheadFullException rejected(String why) {
        refused(BulkheadOutcome.REJECTED, REJECTED, why);
        return new BulkheadFullException(name, why);
    }

    private void refused(BulkheadOutcome outcome, LogLine event, String why) {
        int running = permits.running();
        int queued = permits.waiting();
        refused(
                outcome,
                event,
                why,
                line -> line.addKeyValue("running", running).addKeyValue("queued", queued));
    }
}
