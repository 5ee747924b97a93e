package dev.resilience.timelimit;

import dev.resilience.worker.Daemons;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker threads of one time limit. As many jobs as are allowed run at once; the others wait in line, first come,
 * first served.
 */
final class Workers {

    private static final Logger log = LoggerFactory.getLogger(Workers.class);

    private final int most;
    private final Daemons threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Runnable> line = new LinkedHashSet<>();
    private int busy;

    Workers(String name, int most) {
        this.most = most;
        this.threads = new Daemons("resilience-time-limit-" + name + "-");
    }

    /** Workers that have a job now; one whose job never ends stays so. */
    int busy() {
        lock.lock();
        try {
            return busy;
        } finally {
            lock.unlock();
        }
    }

    /** Runs a job as soon as there is a worker for it. */
    void execute(Runnable job) {
        lock.lock();
        try {
            if (busy == most) {
                line.add(job);
                return;
            }
            busy++;
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

    /** Takes a job out of the line; {@code false} if a worker has it already. */
    boolean withdraw(Runnable job) {
        lock.lock();
        try {
            return line.remove(job);
        } finally {
            lock.unlock();
        }
    }

    /** Lets idle workers go at once, from now on too. Jobs are run as before. */
    void close() {
        threads.letGo();
    }

    private void work(Runnable first) {
        for (Runnable job = first; job != null; job = next()) {
            try {
                job.run();
            } catch (Throwable broken) { // a job tells its caller itself
                log.warn(
                        "A call on {} could not tell its end",
                        Thread.currentThread().getName(),
                        broken);
            }
            Thread.interrupted(); // whoever's it was, it is not for the next job
        }
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
            return job;
        } finally {
            lock.unlock();
        }
    }
}
