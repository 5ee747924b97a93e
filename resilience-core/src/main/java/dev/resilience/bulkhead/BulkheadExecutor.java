package dev.resilience.bulkhead;

import dev.resilience.worker.DaemonExecutor;
import dev.resilience.worker.StoppableTask;
import dev.resilience.worker.VirtualThreads;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one bulkhead: {@link DaemonExecutor}, or one virtual thread a call. Only calls that hold a permit come here, so
 * their number needs no bound of its own, and must not have one: a thread whose call has released its permit may be busy with
 * what the application does when the call's future ends.
 *
 * <p>It also knows the asynchronous calls that have left the queue of a bulkhead without a pool and run on other threads
 * than their callers': they, too, are waited for and stopped.
 */
final class BulkheadExecutor {

    private final String prefix;
    private final DaemonExecutor platformThreads;
    private final Set<StoppableTask> jobs = ConcurrentHashMap.newKeySet();
    private volatile @Nullable ThreadFactory virtualThreads;
    private volatile int stops;

    BulkheadExecutor(String name, BulkheadPolicy policy) {
        this.prefix = "resilience-bulkhead-" + name + "-";
        this.platformThreads = new DaemonExecutor(prefix);
        configure(policy);
    }

    /** Has threads for a policy from now on; those that run a job stay as they are. */
    void configure(BulkheadPolicy policy) {
        if (!policy.virtualThreads()) {
            virtualThreads = null;
        } else if (virtualThreads == null) {
            virtualThreads = VirtualThreads.named(prefix);
        }
    }

    /** How often the pool was stopped. */
    int stops() {
        return stops;
    }

    /**
     * Runs a task that holds a permit.
     *
     * @param stopsBefore how often the pool had been stopped when the call was made
     * @throws OutOfMemoryError if the system has no thread left
     */
    void execute(StoppableTask job, int stopsBefore) {
        execute(job, stopsBefore, this::goOn);
    }

    /** As {@link #execute(StoppableTask, int)}, on threads that are not the pool's. */
    void execute(StoppableTask job, int stopsBefore, Executor threads) {
        jobs.add(job);
        if (stops != stopsBefore) {
            job.stop();
        }
        try {
            threads.execute(() -> run(job));
        } catch (Throwable noThread) {
            jobs.remove(job);
            throw noThread;
        }
    }

    /** Runs what goes on of a task that holds a permit, such as a later attempt. */
    void goOn(Runnable task) {
        ThreadFactory virtual = virtualThreads;
        if (virtual == null) {
            platformThreads.execute(task);
        } else {
            virtual.newThread(task).start();
        }
    }

    /** Nothing goes on any more of a job that had run before it ended. */
    void ended(StoppableTask job) {
        jobs.remove(job);
    }

    /** An interrupt that came from elsewhere does not reach the next job: the executor takes it back, too. */
    private void run(StoppableTask job) {
        try {
            job.run();
        } finally {
            if (job.hasEnded()) {
                jobs.remove(job);
            }
        }
    }

    /** Whether it has jobs; one whose stage goes on without a thread is among them. */
    boolean hasWork() {
        return !jobs.isEmpty();
    }

    /** Stops the jobs that it has and those of calls that have been made. Later ones are run as before. */
    synchronized void stop(Executor elsewhere) {
        stops++;
        jobs.forEach(job -> job.stop(elsewhere));
    }

    /** Lets go of idle threads at once, from now on too. Jobs are run as before. */
    void releaseIdleThreads() {
        platformThreads.releaseIdleThreads();
    }
}
