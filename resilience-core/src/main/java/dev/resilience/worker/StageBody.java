package dev.resilience.worker;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The body of an asynchronous call and the stage that it makes, which can be stopped as one: the body is interrupted
 * while it runs, the stage is cancelled once it is there. Begun and run once, on the thread of the body; stopped by any.
 */
public final class StageBody {

    private final LaterRun run = new LaterRun();
    private volatile boolean stopped;
    private volatile @Nullable CompletableFuture<@Nullable Object> stage;

    /**
     * Runs a task that begins the body.
     *
     * @param inContext the task, with what the call took along to this thread. Whatever of that is broken is thrown if
     *     it kept the body from beginning, and logged otherwise
     */
    public void carry(Runnable inContext) {
        run.carry(inContext);
    }

    /** Says that the body comes next on this thread; {@code false} if it was stopped before, and must not run. */
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
        } catch (Throwable broken) { // a step must not throw, but what it would leak is somebody else's
            started = CompletableFuture.failedFuture(broken);
        } finally {
            run.end();
        }
        stage = started;
        if (stopped) {
            started.cancel(true);
        }
        return started;
    }

    /** Whether a thread has come to the body. */
    public boolean hasBegun() {
        return run.hasBegun();
    }

    /** Interrupts the body while it makes the stage, or as it begins; from any thread. */
    public void interrupt() {
        run.interrupt();
    }

    /** Interrupts the body, or cancels its stage. A body that has not begun does not begin any more. */
    public void stop() {
        stopped = true;
        interrupt();
        CompletableFuture<@Nullable Object> started = stage;
        if (started != null) {
            started.cancel(true);
        }
    }
}
