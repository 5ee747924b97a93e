package dev.resilience.timelimit;

import dev.resilience.deadline.TimeAllowed;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import dev.resilience.time.TimeSource.Scheduled;
import dev.resilience.worker.StageBody;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call: the body that makes the stage runs on the caller's thread or on a worker, then the stage is
 * waited for without a thread. The time limit holds for both together. When the time is over what runs is stopped, the
 * body interrupted or the stage cancelled, and the answer fails: in this order, for what the application does when the
 * answer fails may take long.
 */
final class AsynchronousCall implements Runnable {

    private final TimeLimit limit;
    private final @Nullable Workers workers;
    private final Step next;
    private final Invocation invocation;
    private final TimeAllowed allowed;
    private final StageBody body = new StageBody();
    private final LinkedFuture answer = new LinkedFuture();
    private final AtomicBoolean decided = new AtomicBoolean();
    private Runnable bodyInContext = this::runBody;
    private volatile @Nullable Scheduled timer;

    AsynchronousCall(
            TimeLimit limit, @Nullable Workers workers, Step next, Invocation invocation, TimeAllowed allowed) {
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
                bodyInContext = limit.carrier().wrap(this::runBody);
                startTimer();
                workers.execute(this);
            }
        } catch (Throwable broken) {
            ended(null, broken);
        }
        return answer;
    }

    private void startTimer() {
        timer = limit.time().scheduleUrgent(allowed.timeout(), this::timedOut);
        if (decided.get()) {
            cancelTimer();
        }
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
        if (body.begin()) {
            answer.await(body.run(next, invocation), this::ended);
        }
    }

    private void ended(@Nullable Object result, @Nullable Throwable failure) {
        if (decided.compareAndSet(false, true)) {
            cancelTimer();
            limit.inTime();
            answer.finish(result, failure);
        }
    }

    private void timedOut() {
        if (decided.compareAndSet(false, true)) {
            boolean waitedForWorker = workers != null && !body.hasBegun();
            try {
                stop();
            } finally {
                answer.finish(null, waitedForWorker ? limit.noWorker(allowed) : limit.exceeded(allowed, null));
            }
        }
    }

    /** By the caller, before there is a stage. */
    private void cancelled() {
        if (decided.compareAndSet(false, true)) {
            cancelTimer();
            limit.inTime();
            stop();
        }
    }

    private void stop() {
        body.stop();
        if (workers != null) {
            workers.withdraw(this);
        }
    }

    private void cancelTimer() {
        Scheduled scheduled = timer;
        if (scheduled != null) {
            scheduled.cancel();
        }
    }
}
