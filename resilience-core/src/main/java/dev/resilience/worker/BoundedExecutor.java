package dev.resilience.worker;

import dev.resilience.log.LogLine;
import dev.resilience.time.ShortLock;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Worker threads of one policy. As many jobs as are allowed run at once; the others wait in a queue, first come, first
 * served. Safe for use by many threads.
 */
public final class BoundedExecutor implements Executor {

    private static final Logger log = LoggerFactory.getLogger(BoundedExecutor.class);
    private static final LogLine JOB_FAILED = LogLine.warn("worker_failed");

    private final int most;
    private final DaemonExecutor platformThreads;
    private final Executor threads;
    private final ReentrantLock lock = new ShortLock();
    private final Set<Runnable> line = new LinkedHashSet<>();
    private int busy;
    private long begun;

    private BoundedExecutor(int most, DaemonExecutor platformThreads, Executor threads) {
        this.most = most;
        this.platformThreads = platformThreads;
        this.threads = threads;
    }

    /**
     * Of platform threads, which are daemons and go after a minute without work.
     *
     * @param prefix what the names of the threads begin with; a number follows
     * @param most jobs that run at once
     */
    public static BoundedExecutor ofPlatformThreads(String prefix, int most) {
        DaemonExecutor daemons = new DaemonExecutor(prefix);
        return new BoundedExecutor(most, daemons, daemons);
    }

    /** As {@link #ofPlatformThreads}, but of virtual threads, where the JDK has them. */
    public static BoundedExecutor ofVirtualThreads(String prefix, int most) {
        ThreadFactory virtual = VirtualThreads.named(prefix);
        return new BoundedExecutor(
                most, new DaemonExecutor(prefix), job -> virtual.newThread(job).start());
    }

    /** Workers that have a job now; one whose job never ends stays so. */
    public int busy() {
        lock.lock();
        try {
            return busy;
        } finally {
            lock.unlock();
        }
    }

    /** Jobs that have been begun. */
    long begun() {
        lock.lock();
        try {
            return begun;
        } finally {
            lock.unlock();
        }
    }

    /** Jobs that wait for a worker now. */
    public int queued() {
        lock.lock();
        try {
            return line.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs a job as soon as there is a worker for it.
     *
     * @throws OutOfMemoryError if the system has no thread left
     */
    @Override
    public void execute(Runnable job) {
        lock.lock();
        try {
            if (busy == most) {
                line.add(job);
                return;
            }
            busy++;
            begun++;
        } finally {
            lock.unlock();
        }
        try {
            threads.execute(() -> work(job));
        } catch (Throwable noThread) { // the system has none left
            free();
            throw noThread;
        }
    }

    /** Takes a job out of the queue; {@code false} if a worker has it already. */
    public boolean withdraw(Runnable job) {
        lock.lock();
        try {
            return line.remove(job);
        } finally {
            lock.unlock();
        }
    }

    /** Lets idle workers go at once, from now on too. Jobs are run as before. */
    public void close() {
        platformThreads.releaseIdleThreads();
    }

    private void work(Runnable first) {
        for (Runnable job = first; job != null; job = next()) {
            runAndTell(job);
        }
    }

    /** Runs a job, which is to tell its caller itself how it ends; what it throws all the same is for the log. */
    static void runAndTell(Runnable job) {
        try {
            job.run();
        } catch (Throwable broken) {
            JOB_FAILED
                    .in(log)
                    .setCause(broken)
                    .log(
                            "A call on {} could not tell its end",
                            Thread.currentThread().getName());
        }
        Thread.interrupted(); // an interrupt of this job is not one of the next
    }

    private void free() {
        lock.lock();
        try {
            busy--;
        } finally {
            lock.unlock();
        }
    }

    /** The job that has waited longest, or {@code null} if there is none and the worker is free. */
    private @Nullable Runnable next() {
        lock.lock();
        try {
            Iterator<Runnable> waiting = line.iterator();
            if (!waiting.hasNext()) {
                free();
                return null;
            }
            Runnable job = waiting.next();
            waiting.remove();
            begun++;
            return job;
        } finally {
            lock.unlock();
        }
    }
}
