package dev.resilience.bulkhead;

import dev.resilience.deadline.Deadline;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.CallQueued;
import dev.resilience.event.CallRejected;
import dev.resilience.event.Events;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * A bulkhead policy at work: lets a limited number of calls run at once and a limited number wait in line, first come,
 * first served. A blocking caller waits on its own thread, an asynchronous call waits without one.
 *
 * <p>Safe for use by many threads.
 */
public final class Bulkhead implements Layer {

    private final String name;
    private final BulkheadPolicy policy;
    private final TimeSource time;
    private final Events events;
    private final Places places;
    private final LongAdder cancelledWithPlace = new LongAdder();
    private final OutcomeCounters<BulkheadOutcome> calls;

    public Bulkhead(String name, BulkheadPolicy policy, TimeSource time, Events events) {
        if (policy.type() != BulkheadPolicy.Type.SEMAPHORE) {
            throw new UnsupportedOperationException("Bulkheads of type " + policy.type() + " do not exist yet");
        }
        this.name = name;
        this.policy = policy;
        this.time = time;
        this.events = events;
        this.places = new Places(policy.maxConcurrent(), policy.maxQueue());
        this.calls = new OutcomeCounters<>(BulkheadOutcome.class, BulkheadOutcome.ACCEPTED, this::accepted);
    }

    /** A bulkhead with the system's time. */
    public static Bulkhead of(String name, BulkheadPolicy policy) {
        return new Bulkhead(name, policy, TimeSource.system(), new Events());
    }

    public String name() {
        return name;
    }

    public BulkheadPolicy policy() {
        return policy;
    }

    /** Calls that hold a place now. */
    public int running() {
        return places.running();
    }

    /** Calls that wait in line now. */
    public int queued() {
        return places.waiting();
    }

    /** Calls by how they were received. */
    public OutcomeCounters<BulkheadOutcome> calls() {
        return calls;
    }

    @Override
    public Step around(Step next) {
        return new BulkheadStep(this, next);
    }

    Places places() {
        return places;
    }

    TimeSource time() {
        return time;
    }

    /** How long the call of the current thread may wait in line: never beyond its deadline. */
    Duration queueTimeout() {
        return Deadline.limit(policy.queueTimeout());
    }

    /** Every place that was taken was for a call, but for those that were cancelled before they could begin. */
    private long accepted() {
        return places.taken() - cancelledWithPlace.sum();
    }

    BulkheadFullException full() {
        refused(BulkheadOutcome.REJECTED);
        return new BulkheadFullException(
                name, policy.maxConcurrent() + " calls run and " + policy.maxQueue() + " wait, which are the limits");
    }

    BulkheadFullException interrupted() {
        refused(BulkheadOutcome.REJECTED);
        return new BulkheadFullException(name, "it was interrupted while it waited in line");
    }

    /**
     * @param timeout how long the call was allowed to wait; less than the policy's timeout where its deadline came first
     */
    ResilienceException timedOut(Duration timeout) {
        refused(BulkheadOutcome.TIMED_OUT);
        return timeout.equals(policy.queueTimeout())
                ? new BulkheadFullException(name, "it waited in line for " + timeout)
                : new DeadlineExceededException(
                        "The deadline came while the call waited in the line of bulkhead '" + name + "'");
    }

    void cancelled() {
        calls.count(BulkheadOutcome.REJECTED);
    }

    /** The call was cancelled when it had its place already: it gives it back and counts as rejected. */
    void cancelledWithPlace() {
        cancelledWithPlace.increment();
        cancelled();
        places.leave();
    }

    void waited(BulkheadOutcome outcome, long since) {
        events.publish(() -> new CallQueued(time.now(), name, outcome, Duration.ofNanos(time.nanoTime() - since)));
    }

    private void refused(BulkheadOutcome outcome) {
        calls.count(outcome);
        events.publish(() -> new CallRejected(time.now(), "bulkhead", name, outcome.label()));
    }
}
