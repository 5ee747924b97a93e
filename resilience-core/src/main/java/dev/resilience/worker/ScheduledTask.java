package dev.resilience.worker;

import dev.resilience.context.ContextClassLoader;
import dev.resilience.time.DelayedTask;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A task that waits. It goes on elsewhere, and finds the classes that it would have found where it began to wait. */
final class ScheduledTask extends DelayedTask {

    private final Runnable task;
    private final Executor executor;
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

    ScheduledTask(Runnable task, Executor executor) {
        this.task = task;
        this.executor = executor;
    }

    @Override
    public Executor executor() {
        return executor;
    }

    @Override
    public void onDue() {
        ContextClassLoader.with(loader, task);
    }
}
