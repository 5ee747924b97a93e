package dev.resilience.timelimit;

import dev.resilience.context.EffectiveTimeout;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import dev.resilience.worker.AsyncBody;
import dev.resilience.worker.BoundedExecutor;
import dev.resilience.worker.CancellableTimer;
import dev.resilience.worker.Detached;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call: the body that makes the stage runs on the caller's thread or on a worker, then the stage is
 * waited for without a thread. The time limit holds for both together. When the time is over the body is interrupted or
 * the stage cancelled, and the answer fails. Neither waits for what the application does because of the other, which may
 * take long.
 */
final class AsyncTimeLimitCall implements Runnable {

    private final TimeLimit limit;
    private final @Nullable BoundedExecutor workers;
    private final Step next;
    private final Invocation invocation;
    private final EffectiveTimeout allowed;
    private final AsyncBody body = new AsyncBody();
    private final LinkedFuture answer = new LinkedFuture();
    private final AtomicBoolean decided = new AtomicBoolean();
    private Runnable bodyInContext = this::runBody;
    private final CancellableTimer alarm = new CancellableTimer();

    AsyncTimeLimitCall(
            TimeLimit limit,
            @Nullable BoundedExecutor workers,
            Step next,
            Invocation invocation,
            EffectiveTimeout allowed) {
        this.limit = limit;
        this.workers = workers;
        this.next = next;
        this.invocation = invocation;
        this.allowed = allowed;
    }

    /** Begins the call; never throws. */
    CompletableFuture<@Nullable Object> start() {
        answer.cancelling(this::cancelled);
        try {
            if (workers == null) {
                startTimer();
                runBody();
            } else {
                bodyInContext = answer.takingAlong(limit.carrier(), workers, this::runBody);
                startTimer();
                workers.execute(this);
                if (decided.get()) {
                    workers.withdraw(this); // its time was over before it stood in line
                }
            }
        } catch (Throwable broken) {
            ended(null, broken);
        }
        return answer;
    }

    private void startTimer() {
        alarm.set(limit.time(), allowed.timeout(), this::timedOut);
    }

    /** On a worker. */
    @Override
    public void run() {
        answer.inContext(() -> {
            try {
                body.carry(bodyInContext);
            } catch (Throwable notBegun) {
                ended(null, notBegun);
            }
        });
    }

    private void runBody() {
        if (body.hasBegun() || !body.begin()) { // a carrier has run it twice, or it was stopped
            return;
        }
        CompletableFuture<@Nullable Object> stage = body.run(next, invocation);
        if (workers != null) {
            Thread.interrupted(); // a stray one: the thread is a worker, and what comes next is not the body
        }
        answer.await(stage, this::ended);
    }

    private void ended(@Nullable Object result, @Nullable Throwable failure) {
        if (decided.compareAndSet(false, true)) {
            alarm.off();
            limit.inTime();
            answer.finish(result, failure);
        }
    }

    private void timedOut() {
        if (decided.compareAndSet(false, true)) {
            boolean waitedForWorker = workers != null && !body.hasBegun();
            try {
                stop(action -> Detached.run(limit.time(), action));
            } finally {
                answer.finish(null, waitedForWorker ? limit.noWorker(allowed) : limit.exceeded(allowed, null));
            }
        }
    }

    /** By the caller, before there is a stage. */
    private void cancelled() {
        if (decided.compareAndSet(false, true)) {
            alarm.off();
            limit.inTime();
            stop(Runnable::run);
        }
    }

    private void stop(Executor forTheStage) {
        body.stop(forTheStage);
        if (workers != null) {
            workers.withdraw(this);
        }
    }
}
