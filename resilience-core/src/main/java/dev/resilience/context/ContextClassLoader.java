package dev.resilience.context;

import org.jspecify.annotations.Nullable;

/**
 * Runs what another thread has begun with that thread's context class loader. Not for applications. Safe for use by many
 * threads.
 */
public final class ContextClassLoader {

    private ContextClassLoader() {}

    /** Runs a task with a context class loader, and puts back the one that the current thread had before. */
    public static void with(@Nullable ClassLoader loader, Runnable task) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            task.run();
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
