package dev.resilience.worker;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The body of an asynchronous call and the stage that it makes, which can be stopped as one: the body is interrupted
 * while it runs, the stage is cancelled once it is there. Begun and run once, on the thread of the body; stopped by any.
 */
public final class AsyncBody {

    private final DeferredExecution run = new DeferredExecution();
    private volatile boolean stopped;
    private volatile @Nullable CompletableFuture<@Nullable Object> stage;

    /**
     * Runs a task that begins the body.
     *
     * @param inContext the task, with what the call took along to this thread. What is broken of that is thrown if
     *     it kept the body from beginning, and logged otherwise
     */
    public void carry(Runnable inContext) {
        run.carry(inContext);
    }

    /**
     * Says that the body comes next on this thread; {@code false} if it was stopped before, and must not run. Called once.
     */
    public boolean begin() {
        run.begin();
        boolean begins = !stopped;
        if (!begins) {
            run.end();
        }
        return begins;
    }

    /** Runs the body, which was begun on this thread, and returns its stage. Never throws. */
    public CompletableFuture<@Nullable Object> run(Step next, Invocation invocation) {
        CompletableFuture<@Nullable Object> started;
        try {
            started = next.callAsync(invocation);
        } catch (Throwable broken) { // a step must not throw, but what it would leak is another call's
            started = CompletableFuture.failedFuture(broken);
        } finally {
            run.end();
        }
        stage = started;
        if (stopped) {
            cancelStage();
        }
        return started;
    }

    /** Whether a thread has come to the body. */
    public boolean hasBegun() {
        return run.hasBegun();
    }

    /** Interrupts the body, or cancels its stage. A body that has not begun does not begin any more. */
    public void stop() {
        stop(Runnable::run);
    }

    /**
     * As {@link #stop()}, without what the application does when its stage is cancelled, which may take long.
     *
     * @param elsewhere runs that
     */
    public void stop(Executor elsewhere) {
        stopped = true;
        run.interrupt();
        if (stage != null) {
            elsewhere.execute(this::cancelStage);
        }
    }

    private void cancelStage() {
        CompletableFuture<@Nullable Object> started = stage;
        if (started != null) {
            started.cancel(true);
        }
    }
}
