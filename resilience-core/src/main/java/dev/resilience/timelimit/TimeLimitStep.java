package dev.resilience.timelimit;

import dev.resilience.context.EffectiveTimeout;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import dev.resilience.time.TimeSource.Scheduled;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import dev.resilience.worker.BoundedExecutor;
import dev.resilience.worker.InterruptibleExecution;
import dev.resilience.worker.OffloadedCall;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Runs the rest of the pipeline for as long as it may take, and ends it when its time is over. */
final class TimeLimitStep extends Step {

    private final TimeLimit limit;
    private final BoundedExecutor workers;
    private final Step next;

    TimeLimitStep(TimeLimit limit, BoundedExecutor workers, Step next) {
        this.limit = limit;
        this.workers = workers;
        this.next = next;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        TimeLimitPolicy policy = limit.policy();
        EffectiveTimeout allowed = TimeLimit.begin(policy);
        return policy.thread() == RunsOn.CALLER
                ? callOnCallersThread(invocation, allowed)
                : callOnWorker(invocation, allowed);
    }

    private @Nullable Object callOnCallersThread(Invocation invocation, EffectiveTimeout allowed) throws Throwable {
        InterruptibleExecution body = new InterruptibleExecution(true);
        Scheduled timer = limit.time().scheduleUrgent(allowed.timeout(), body::interrupt);
        body.begin();
        Object result;
        try {
            result = next.call(invocation);
        } catch (Throwable failure) {
            if (endedInTime(body, timer)) {
                throw failure;
            }
            throw limit.exceeded(allowed, failure);
        }
        if (!endedInTime(body, timer)) {
            throw limit.exceeded(allowed, null);
        }
        return result;
    }

    private boolean endedInTime(InterruptibleExecution body, Scheduled timer) {
        if (!body.end()) {
            return false;
        }
        timer.cancel();
        limit.inTime();
        return true;
    }

    /** Where the caller is let go when the time is over, whatever the body does. */
    private @Nullable Object callOnWorker(Invocation invocation, EffectiveTimeout allowed) throws Throwable {
        OffloadedCall call = new OffloadedCall(next, invocation, limit.carrier(), () -> {});
        Scheduled timer = limit.time().scheduleUrgent(allowed.timeout(), () -> timedOut(call));
        OffloadedCall.Ending ending;
        try {
            workers.execute(call);
            if (call.isAbandoned()) {
                workers.withdraw(call); // its time was over before it stood in line
            }
            ending = call.await();
        } finally {
            timer.cancel();
        }
        if (ending == null) {
            throw call.hasBegun() ? limit.exceeded(allowed, null) : limit.noWorker(allowed);
        }
        limit.inTime();
        return ending.get();
    }

    private void timedOut(OffloadedCall call) {
        if (call.abandon() && !workers.withdraw(call)) {
            call.stop();
        }
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        TimeLimitPolicy policy = limit.policy();
        EffectiveTimeout allowed;
        try {
            allowed = TimeLimit.begin(policy);
        } catch (Throwable late) {
            return CompletableFuture.failedFuture(late);
        }
        return new AsyncTimeLimitCall(
                        limit, policy.thread() == RunsOn.CALLER ? null : workers, next, invocation, allowed)
                .start();
    }
}
