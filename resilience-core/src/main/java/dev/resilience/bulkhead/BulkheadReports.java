package dev.resilience.bulkhead;

import dev.resilience.context.EffectiveTimeout;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.CallQueued;
import dev.resilience.event.CallRejected;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.event.internal.OutcomeCounters;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import org.slf4j.LoggerFactory;

/** Tells the counters, the log and the listeners of a bulkhead how its calls were received, and rejected callers why. */
final class BulkheadReports {

    private static final String STOPPED = "it was stopped before the call began";

    private static final LogLine REJECTED = LogLine.warn("bulkhead_rejected", "rejected", "rejected");
    private static final LogLine TIMED_OUT = LogLine.warn("bulkhead_timed_out", "timedOut", "timed out in the queue");

    /** The caller cancelled the call while it waited, or the clock failed; counted as rejected, without a line. */
    private static final LogLine CANCELLED = LogLine.counted("cancelled", "cancelled in the queue");

    private final String name;
    private final TimeSource time;
    private final EventPublisher events;
    private final PermitQueue permits;
    private final OutcomeCounters<BulkheadOutcome> calls;
    private final FoldedLog log;

    BulkheadReports(String name, TimeSource time, EventPublisher events, PermitQueue permits) {
        this.name = name;
        this.time = time;
        this.events = events;
        this.permits = permits;
        this.calls = new OutcomeCounters<>(BulkheadOutcome.class, BulkheadOutcome.ACCEPTED, permits::taken);
        this.log = new FoldedLog(
                LoggerFactory.getLogger(Bulkhead.class),
                time,
                "Bulkhead",
                name,
                "bulkhead_summary",
                REJECTED,
                TIMED_OUT,
                CANCELLED);
    }

    OutcomeCounters<BulkheadOutcome> calls() {
        return calls;
    }

    /** Writes what is folded. */
    void close() {
        log.close();
    }

    /** For a call that finds neither a permit nor room in the queue. */
    BulkheadFullException full(BulkheadPolicy limits) {
        if (permits.isClosed()) {
            return rejected("the application ends, and calls do not wait in the queue any more");
        }
        return rejected(limits.maxConcurrent() + " calls run and " + limits.maxQueue() + " wait, which are the limits");
    }

    BulkheadFullException interrupted() {
        return rejected("it was interrupted while it waited in the queue");
    }

    ResilienceException timedOut(EffectiveTimeout patience) {
        boolean byDeadline = patience.byDeadline();
        String why = byDeadline
                ? "the deadline came while it waited in the queue"
                : "it waited in the queue for " + patience;
        refused(BulkheadOutcome.TIMED_OUT, TIMED_OUT, why);
        return byDeadline
                ? new DeadlineExceededException(
                        "The deadline came while the call waited in the queue of bulkhead '" + name + "'")
                : new BulkheadFullException(name, why);
    }

    BulkheadFullException rejectedWhileQueued() {
        return rejected(STOPPED);
    }

    /** Of a call that was accepted, or is counted otherwise. */
    BulkheadFullException stopped() {
        return new BulkheadFullException(name, STOPPED);
    }

    /** Without a reason: the call was cancelled, or is broken. */
    void leftWithoutPermit() {
        calls.count(BulkheadOutcome.REJECTED);
        log.count(CANCELLED);
    }

    void waited(BulkheadOutcome outcome, long since) {
        events.publish(() -> new CallQueued(time.now(), name, outcome, Duration.ofNanos(time.nanoTime() - since)));
    }

    private BulkheadFullException rejected(String why) {
        refused(BulkheadOutcome.REJECTED, REJECTED, why);
        return new BulkheadFullException(name, why);
    }

    private void refused(BulkheadOutcome outcome, LogLine told, String why) {
        calls.count(outcome);
        log.write(
                told,
                null,
                line -> line.addKeyValue("running", permits.running())
                        .addKeyValue("queued", permits.waiting())
                        .addKeyValue("reason", why)
                        .log("Bulkhead '{}': a call was not let in, because {}", name, why));
        events.publish(() -> new CallRejected(time.now(), "bulkhead", name, outcome.label()));
    }
}
