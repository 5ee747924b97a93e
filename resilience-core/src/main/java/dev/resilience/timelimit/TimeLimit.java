package dev.resilience.timelimit;

import dev.resilience.context.ContextCarrier;
import dev.resilience.context.Deadline;
import dev.resilience.context.Deadline.Timeout;
import dev.resilience.event.CallTimedOut;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.event.TimeLimitOutcome;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.AsyncStep;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.InterruptibleExecution;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Reports;
import dev.resilience.pipeline.Step;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import dev.resilience.time.WorkerThreads;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A time limit policy at work: ends calls that take too long, in the way that its policy says, and never later than the
 * call's deadline.
 *
 * <p>On worker threads up to 200 calls run at once; those that come when all are busy wait for one
 * within their own time. Worker threads are daemons, and end after a minute without work. {@link #onVirtualThreads} gives
 * each call a virtual thread, without a bound.
 *
 * <p>Safe for use by many threads.
 */
public final class TimeLimit implements LiveObject<TimeLimitPolicy>, Layer, AutoCloseable {

    /** As many as Tomcat has threads for requests: a smaller number would let healthy calls wait. */
    private static final int MAX_WORKERS = 200;

    private static final LogLine EXCEEDED = LogLine.warn("time_limit_exceeded", "timed_out");

    private final String name;
    private final TimeSource time;
    private final ContextCarrier carrier;
    private final ThreadPoolExecutor workers;
    private volatile TimeLimitPolicy policy;
    private final Reports<TimeLimitOutcome> reports;

    /** For adapters; applications ask {@link dev.resilience.Resilience#timeLimit}. */
    public TimeLimit(String name, TimeLimitPolicy policy, Environment environment) {
        this(name, policy, environment, MAX_WORKERS, false);
    }

    TimeLimit(String name, TimeLimitPolicy policy, Environment environment, int maxWorkers, boolean virtualThreads) {
        this.name = name;
        this.policy = policy;
        this.time = environment.time();
        this.carrier = environment.carrier();
        this.workers = WorkerThreads.pool("resilience-time-limit-" + name + "-", maxWorkers, virtualThreads);
        this.reports = new Reports<>(
                TimeLimit.class,
                "Time limit",
                "time_limit_summary",
                name,
                environment,
                new OutcomeCounters<>(TimeLimitOutcome.class));
    }

    /**
     * For adapters: as the constructor, but a call on a worker has a virtual thread of its own.
     *
     * @throws UnsupportedOperationException if this JDK has none
     */
    public static TimeLimit onVirtualThreads(String name, TimeLimitPolicy policy, Environment environment) {
        return new TimeLimit(name, policy, environment, Integer.MAX_VALUE, true);
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
        return workers.getActiveCount();
    }

    /** Whether all worker threads are busy, so that the next call has to wait for one. */
    public boolean isFull() {
        return workers() == workers.getMaximumPoolSize();
    }

    /** Calls by how they ended. */
    public OutcomeCounters<TimeLimitOutcome> calls() {
        return reports.calls();
    }

    @Override
    public Step around(Step next) {
        return new TimeLimitStep(next);
    }

    /**
     * Lets go of the worker threads, each as soon as it is idle. Calls are served as before, but none is kept. What the
     * log has counted in place of single lines is written.
     */
    @Override
    public void close() {
        WorkerThreads.releaseIdle(workers);
        reports.close();
    }

    /**
     * How long a call that begins now may take.
     *
     * @throws dev.resilience.exception.DeadlineExceededException if no time is left for it
     */
    static Timeout begin(TimeLimitPolicy policy) {
        Timeout timeout = Timeout.under(policy.timeout());
        Deadline.check(); // after the limit, which is therefore longer than zero
        return timeout;
    }

    void inTime() {
        reports.calls().count(TimeLimitOutcome.IN_TIME);
    }

    /** Decided before a call begins, so that one that is not ended needs no interrupt and no second decision. */
    private boolean ends(Timeout timeout, TimeLimitPolicy policy) {
        return timeout.byDeadline() || reports.enforces(policy.enforce());
    }

    /** A call that is let go on when its time is over, and is only counted. */
    private final class LetThrough implements Runnable, Scheduled {

        private final AtomicBoolean counted = new AtomicBoolean();
        private final Scheduled timer;

        LetThrough(Timeout timeout) {
            timer = time.schedule(timeout.timeout(), this, WorkerThreads.ENDS);
        }

        @Override
        public void run() {
            count(TimeLimitOutcome.WOULD_REJECT);
        }

        /** The call has ended. */
        @Override
        public void cancel() {
            timer.cancel();
            count(TimeLimitOutcome.IN_TIME);
        }

        private void count(TimeLimitOutcome outcome) {
            if (counted.compareAndSet(false, true)) {
                reports.calls().count(outcome);
            }
        }
    }

    /**
     * @param cause what it threw when it was interrupted, if that is known
     */
    TimeLimitExceededException exceeded(Timeout timeout, @Nullable Throwable cause) {
        String why = report("the call took longer than ", timeout);
        return new TimeLimitExceededException(name, why, cause, timeout.byDeadline());
    }

    /** The call has waited for a worker all the time. */
    TimeLimitExceededException noWorker(Timeout timeout) {
        String why = report("no worker thread became free within ", timeout);
        return TimeLimitExceededException.notBegun(name, why);
    }

    /** Counts and reports a call that took too long. */
    private String report(String what, Timeout timeout) {
        String why = what + timeout;
        reports.calls().count(TimeLimitOutcome.TIMED_OUT);
        reports.log()
                .write(
                        EXCEEDED,
                        line -> line.addKeyValue("timeoutMs", timeout.timeout().toMillis())
                                .addKeyValue("reason", why)
                                .log("Time limit '{}': {}", name, why));
        reports.publish(() -> new CallTimedOut(time.now(), name, timeout.timeout()));
        return why;
    }

    /**
     * Runs the rest of the pipeline for as long as it may take, and ends it when its time is over.
     *
     * <p>An asynchronous call: the body that makes the stage runs on the caller's thread or on a worker, then the stage is
     * waited for without a thread. The time limit holds for both together. When the time is over the body is interrupted or the
     * stage cancelled, and the answer fails; neither waits for what the application does because of the other.
     */
    final class TimeLimitStep extends AsyncStep {

        TimeLimitStep(Step next) {
            super(next, carrier);
        }

        @Override
        public @Nullable Object call(Invocation invocation) throws Throwable {
            TimeLimitPolicy policy = policy();
            if (policy.thread() == RunsOn.WORKER) {
                return callElsewhere(invocation); // its caller is let go when the time is over, whatever the body does
            }
            long start = time.nanoTime();
            Timeout timeout = begin(policy);
            return ends(timeout, policy)
                    ? callOnCallersThread(invocation, start, timeout)
                    : callToItsEnd(invocation, new LetThrough(timeout));
        }

        private @Nullable Object callToItsEnd(Invocation invocation, LetThrough call) throws Throwable {
            try {
                return next.call(invocation);
            } finally {
                call.cancel();
            }
        }

        private @Nullable Object callOnCallersThread(Invocation invocation, long start, Timeout timeout)
                throws Throwable {
            InterruptibleExecution body = new InterruptibleExecution();
            Scheduled timer = time.scheduleUrgent(timeout.timeout(), body::interrupt);
            body.begin();
            Object result = null;
            Throwable failure = null;
            try {
                result = next.call(invocation);
            } catch (Throwable thrown) {
                failure = thrown;
                if (time.nanoTime() - start >= Durations.toNanos(timeout.timeout())) {
                    body.interrupt(); // as the timer is about to do: something else with the same deadline was quicker
                }
            }
            if (!body.end()) {
                throw exceeded(timeout, failure);
            }
            timer.cancel();
            inTime();
            if (failure != null) {
                throw failure;
            }
            return result;
        }

        /** What is inside may go on when the time is over. */
        @Override
        protected boolean beginsCall() {
            return true;
        }

        @Override
        protected Next enter(AsyncCall call) {
            TimeLimitPolicy policy = policy();
            Timeout timeout = begin(policy);
            call.hold(ends(timeout, policy) ? timer(call, timeout) : new LetThrough(timeout));
            return policy.thread() == RunsOn.CALLER && !call.isBlocking() ? Next.INWARD : call.continueOn(workers);
        }

        private Scheduled timer(AsyncCall call, Timeout timeout) {
            call.mayTimeOut();
            Runnable due = () -> timedOut(call, timeout);
            // the thread of a blocking call runs what follows itself, so its end must not stand behind those of other
            // calls
            return call.isBlocking()
                    ? time.scheduleUrgent(timeout.timeout(), due)
                    : time.schedule(timeout.timeout(), due, WorkerThreads.ENDS);
        }

        private void timedOut(AsyncCall call, Timeout timeout) {
            boolean waitedForWorker = call.waitsForThread();
            call.timeOut(
                    stop -> time.schedule(Duration.ZERO, stop, WorkerThreads.ENDS),
                    () -> waitedForWorker ? noWorker(timeout) : exceeded(timeout, null));
        }

        @Override
        protected Next exit(AsyncCall call) {
            Objects.requireNonNull((Scheduled) call.held()).cancel();
            if (!(call.held() instanceof LetThrough) && call.endsInTime()) {
                inTime();
            }
            return Next.OUTWARD;
        }
    }
}
