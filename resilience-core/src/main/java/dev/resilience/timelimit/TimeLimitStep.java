package dev.resilience.timelimit;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Runs the rest of the pipeline for as long as it may take, and ends it when its time is over. */
final class TimeLimitStep extends Step {

    private final TimeLimit limit;
    private final @Nullable Workers workers;
    private final Step next;

    /**
     * @param workers where bodies run; {@code null} for the thread of the caller
     */
    TimeLimitStep(TimeLimit limit, @Nullable Workers workers, Step next) {
        this.limit = limit;
        this.workers = workers;
        this.next = next;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        Duration timeout = limit.begin();
        return workers == null
                ? callOnCallersThread(invocation, timeout)
                : new WorkerCall(limit, workers, next, invocation, timeout).call();
    }

    private @Nullable Object callOnCallersThread(Invocation invocation, Duration timeout) throws Throwable {
        BodyRun body = new BodyRun();
        Scheduled timer = limit.time().scheduleUrgent(timeout, body::interrupt);
        body.begin();
        Object result;
        try {
            result = next.call(invocation);
        } catch (Throwable failure) {
            if (endedInTime(body, timer)) {
                throw failure;
            }
            throw limit.exceeded(timeout, failure);
        }
        if (!endedInTime(body, timer)) {
            throw limit.exceeded(timeout, null);
        }
        return result;
    }

    private boolean endedInTime(BodyRun body, Scheduled timer) {
        if (!body.end()) {
            return false;
        }
        timer.cancel();
        limit.inTime();
        return true;
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        Duration timeout;
        try {
            timeout = limit.begin();
        } catch (Throwable late) {
            return CompletableFuture.failedFuture(late);
        }
        return new AsynchronousCall(limit, workers, next, invocation, timeout).start();
    }
}
