package dev.resilience.spring.deadletter;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Runs a replay on a thread of its own: nothing that is bound to the one that asks for it is the call's, such as the request,
 * the rights and the transaction of an operator.
 */
final class OwnThread {

    private OwnThread() {}

    /**
     * Waits for the end, however long that takes: as long as the task runs, nothing else may begin that it excludes. An
     * interrupt of the caller interrupts the task, and is there again afterwards.
     */
    static <T> @Nullable T call(Callable<@Nullable T> task) throws Throwable {
        FutureTask<@Nullable T> running = new FutureTask<>(task);
        Thread thread = new Thread(null, running, "resilience-replay", 0, false);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.setDaemon(true);
        thread.start();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return running.get();
                } catch (InterruptedException ofCaller) {
                    interrupted = true;
                    thread.interrupt();
                }
            }
        } catch (ExecutionException failed) {
            throw failed.getCause() == null ? failed : failed.getCause();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
