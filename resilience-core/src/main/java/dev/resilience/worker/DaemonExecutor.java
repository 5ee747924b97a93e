package dev.resilience.worker;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Daemon threads, made as they are needed and gone after a minute without work. They keep nothing of the one that
 * happened to start them. Their user bounds their number, because a thread that has just become free is not yet seen
 * as such here. Safe for use by many threads.
 */
public final class DaemonExecutor implements Executor {

    private static final Duration KEPT_IDLE = Duration.ofSeconds(60);

    private final AtomicInteger number = new AtomicInteger();
    private final String prefix;
    private final ThreadPoolExecutor threads;

    /**
     * @param prefix what the names of the threads begin with; a number follows
     */
    public DaemonExecutor(String prefix) {
        this.prefix = prefix;
        this.threads = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                KEPT_IDLE.toNanos(),
                TimeUnit.NANOSECONDS,
                new SynchronousQueue<>(),
                this::newThread);
    }

    /**
     * Runs a task at once.
     *
     * @throws OutOfMemoryError if the system has no thread left
     */
    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    /** Lets idle threads go at once, from now on too. Tasks are run as before. */
    public void releaseIdleThreads() {
        threads.setKeepAliveTime(0, TimeUnit.NANOSECONDS);
    }

    private Thread newThread(Runnable task) {
        Thread thread = new Thread(null, task, prefix + number.incrementAndGet(), 0, false);
        thread.setContextClassLoader(null);
        thread.setDaemon(true);
        return thread;
    }
}
