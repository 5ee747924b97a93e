package dev.resilience.timelimit;

import dev.resilience.context.ContextCarrier;
import dev.resilience.context.Deadline;
import dev.resilience.context.EffectiveTimeout;
import dev.resilience.event.CallTimedOut;
import dev.resilience.event.TimeLimitOutcome;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.event.internal.OutcomeCounters;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Step;
import dev.resilience.time.TimeSource;
import dev.resilience.worker.BoundedExecutor;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A time limit policy at work: ends calls that take too long, in the way that its policy says, and never later than the
 * call's deadline.
 *
 * <p>On worker threads up to 200 calls run at once; those that come when all are busy wait for one
 * within their own time. Worker threads are daemons, and end after a minute without work. {@link #onVirtualThreads} gives
 * each call a virtual thread, without a limit.
 *
 * <p>Safe for use by many threads.
 */
public final class TimeLimit implements LiveObject<TimeLimitPolicy>, Layer, AutoCloseable {

    /** As many as Tomcat has threads for requests: a smaller number would let healthy calls wait. */
    private static final int MOST_WORKERS = 200;

    private static final LogLine EXCEEDED = LogLine.warn("time_limit_exceeded", "timedOut", "timed out");

    private final String name;
    private final TimeSource time;
    private final EventPublisher events;
    private final ContextCarrier carrier;
    private final BoundedExecutor workers;
    private volatile TimeLimitPolicy policy;
    private final OutcomeCounters<TimeLimitOutcome> calls = new OutcomeCounters<>(TimeLimitOutcome.class);
    private final FoldedLog log;

    /**
     * For adapters; applications ask {@link dev.resilience.Resilience#timeLimit}.
     *
     * @param carrier takes along to the worker threads what is bound to the caller's
     */
    public TimeLimit(
            String name, TimeLimitPolicy policy, TimeSource time, EventPublisher events, ContextCarrier carrier) {
        this(name, policy, time, events, carrier, MOST_WORKERS);
    }

    TimeLimit(
            String name,
            TimeLimitPolicy policy,
            TimeSource time,
            EventPublisher events,
            ContextCarrier carrier,
            int mostWorkers) {
        this(name, policy, time, events, carrier, BoundedExecutor.ofPlatformThreads(prefix(name), mostWorkers));
    }

    private TimeLimit(
            String name,
            TimeLimitPolicy policy,
            TimeSource time,
            EventPublisher events,
            ContextCarrier carrier,
            BoundedExecutor workers) {
        this.name = name;
        this.policy = policy;
        this.time = time;
        this.events = events;
        this.carrier = carrier;
        this.workers = workers;
        this.log = new FoldedLog(
                LoggerFactory.getLogger(TimeLimit.class), time, "Time limit", name, "time_limit_summary", EXCEEDED);
    }

    /**
     * For adapters: as the constructor, but a call on a worker has a virtual thread of its own.
     *
     * @throws UnsupportedOperationException if this JDK has none
     */
    public static TimeLimit onVirtualThreads(
            String name, TimeLimitPolicy policy, TimeSource time, EventPublisher events, ContextCarrier carrier) {
        BoundedExecutor workers = BoundedExecutor.ofVirtualThreads(prefix(name), Integer.MAX_VALUE);
        return new TimeLimit(name, policy, time, events, carrier, workers);
    }

    private static String prefix(String name) {
        return "resilience-time-limit-" + name + "-";
    }

    /** A time limit with the system's time, which takes along what {@link ContextCarrier#standard()} does. */
    public static TimeLimit of(String name, TimeLimitPolicy policy) {
        return new TimeLimit(name, policy, TimeSource.system(), new EventPublisher(), ContextCarrier.standard());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public TimeLimitPolicy policy() {
        return policy;
    }

    /** Changes the policy for calls that begin from now on; those under way keep what they were granted. */
    @Override
    public void reconfigure(TimeLimitPolicy changed) {
        policy = changed;
    }

    /**
     * Worker threads that are busy now. One whose call ignores interrupts is so until the call ends, long after its
     * caller has gone; always 0 where calls run on their callers' threads.
     */
    public int workers() {
        return workers.busy();
    }

    /** Calls by how they ended. */
    public OutcomeCounters<TimeLimitOutcome> calls() {
        return calls;
    }

    @Override
    public Step around(Step next) {
        return new TimeLimitStep(this, workers, next);
    }

    /**
     * Lets go of the worker threads, each as soon as it is idle. Calls are served as before, but none is kept. What the
     * log has counted in place of single lines is written.
     */
    @Override
    public void close() {
        workers.close();
        log.close();
    }

    TimeSource time() {
        return time;
    }

    ContextCarrier carrier() {
        return carrier;
    }

    /**
     * How long a call that begins now may take.
     *
     * @throws dev.resilience.exception.DeadlineExceededException if no time is left for it
     */
    static EffectiveTimeout begin(TimeLimitPolicy policy) {
        EffectiveTimeout allowed = EffectiveTimeout.under(policy.timeout());
        Deadline.check(); // after the limit, which is therefore longer than zero
        return allowed;
    }

    void inTime() {
        calls.count(TimeLimitOutcome.IN_TIME);
    }

    /**
     * @param cause what it threw when it was interrupted, if that is known
     */
    TimeLimitExceededException exceeded(EffectiveTimeout allowed, @Nullable Throwable cause) {
        String why = told("the call took longer than ", allowed);
        return new TimeLimitExceededException(name, why, cause, allowed.byDeadline());
    }

    /** The call has waited for a worker all the time. */
    TimeLimitExceededException noWorker(EffectiveTimeout allowed) {
        String why = told("no worker thread became free within ", allowed);
        return TimeLimitExceededException.notBegun(name, why, allowed.byDeadline());
    }

    /** Counts and reports a call that took too long. */
    private String told(String what, EffectiveTimeout allowed) {
        String why = what + allowed;
        calls.count(TimeLimitOutcome.TIMED_OUT);
        log.write(
                EXCEEDED,
                null,
                line -> line.addKeyValue("timeoutMs", allowed.timeout().toMillis())
                        .addKeyValue("reason", why)
                        .log("Time limit '{}': {}", name, why));
        events.publish(() -> new CallTimedOut(time.now(), name, allowed.timeout()));
        return why;
    }
}
