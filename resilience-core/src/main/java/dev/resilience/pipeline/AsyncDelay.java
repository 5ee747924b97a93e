package dev.resilience.pipeline;

import dev.resilience.context.Deadline;
import dev.resilience.time.DelayedTask;
import dev.resilience.time.StoppableTime;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call that waits without a thread, at times: each wait either goes on when its time is over or is
 * cancelled, never both. The call is the timer's own task, so that a wait makes no object.
 */
public abstract class AsyncDelay extends DelayedTask implements Runnable {

    /** What the caller has of the call. */
    protected final LinkedFuture answer;

    protected AsyncDelay(LinkedFuture answer) {
        this.answer = answer;
    }

    /** What measures the waits. */
    protected abstract StoppableTime time();

    /** What comes after a wait, in the surroundings of the caller; what it throws ends the answer. */
    protected abstract void afterWait();

    /**
     * What comes in its place if the answer is cancelled or completed from outside meanwhile, or if the surroundings cannot
     * be put in place, which ends the answer, too.
     */
    protected abstract void cancelled();

    /**
     * Waits without a thread and then goes on, where the call ran before if that can be told, and otherwise where the
     * source of time says. If the wait is ended because the application ends, no time is left for what comes next: its
     * {@link Deadline} is over.
     */
    protected final void pause(Duration wait) {
        StoppableTime time = time();
        time.renewWait(this);
        answer.cancelling(this); // before the timer is set: what comes next says itself how to be cancelled
        time.startWait(this, wait);
    }

    /** The answer is over: ends the wait, if there is one. */
    @Override
    public final void run() {
        if (time().endWait(this)) {
            cancelled();
        }
    }

    @Override
    public final @Nullable Executor executor() {
        return answer.executor();
    }

    @Override
    public final void onDue() {
        answer.inContext(this::goOnInSurroundings);
    }

    private void goOnInSurroundings() {
        StoppableTime time = time();
        if (time.isStopped()) {
            Deadline.makeCurrent(Deadline.in(Duration.ZERO, time)); // inContext puts back what was there
        }
        boolean[] begun = new boolean[1];
        try {
            answer.inCallersSurroundings(() -> {
                begun[0] = true;
                afterWait();
            });
        } catch (Throwable broken) {
            if (!begun[0]) {
                cancelled();
            }
            throw broken;
        }
    }
}
