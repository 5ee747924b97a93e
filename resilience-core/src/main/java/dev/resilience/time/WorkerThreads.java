package dev.resilience.time;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Makes pools of daemon threads, which are there as long as they have work and a minute longer, or of virtual threads. They
 * keep nothing of the one that happened to start them.
 */
public final class WorkerThreads {

    /** How many platform threads work at once at the most where nothing else is said. */
    public static final int MAX_THREADS = Math.max(16, 4 * Runtime.getRuntime().availableProcessors());

    private static final long KEPT_IDLE_MILLIS = 60_000;
    private static final long KEPT_IDLE_VIRTUAL_MILLIS = 1_000;

    /** Those of the whole process, which no application closes: an idle thread keeps a class loader alive. */
    static final long SHARED_KEPT_IDLE_MILLIS = 5_000;

    /**
     * Where calls end whose time is over, or that are stopped, and have no thread of their own for that. What the application
     * does because of the end may block these threads: then other ends wait for one, but nothing else of the library does.
     */
    public static final Executor ENDS = shared("resilience-end-", 64);

    private static final long BETWEEN_REPORTS = TimeUnit.MINUTES.toNanos(1);
    private static final AtomicLong lastReport = new AtomicLong(System.nanoTime() - BETWEEN_REPORTS);
    private static volatile Runnable report = () -> {};

    private WorkerThreads() {}

    /**
     * A pool in which so many tasks run at once; the others wait for a thread. Without a bound each task on a virtual thread
     * has one of its own, and none is kept.
     *
     * @param prefix what the names of the threads begin with; a number follows
     * @param max {@link Integer#MAX_VALUE} for as many threads as there are tasks
     * @throws UnsupportedOperationException if the threads are to be virtual and this JDK {@linkplain #canBeVirtual() has none}
     */
    public static ThreadPoolExecutor pool(String prefix, int max, boolean virtual) {
        long keptIdleVirtual = max == Integer.MAX_VALUE ? 0 : KEPT_IDLE_VIRTUAL_MILLIS;
        return virtual
                ? new Pool(max, keptIdleVirtual, virtual(prefix), new HandOff())
                : new Pool(max, KEPT_IDLE_MILLIS, daemons(prefix), new HandOff());
    }

    static ThreadPoolExecutor shared(String prefix, int max) {
        return new Pool(max, SHARED_KEPT_IDLE_MILLIS, daemons(prefix), new HandOff());
    }

    /** Sets what says that the system has no thread left, at most once a minute. */
    public static void reportShortageBy(Runnable line) {
        report = line;
    }

    static void reportShortage() {
        long now = System.nanoTime();
        long last = lastReport.get();
        if (now - last >= BETWEEN_REPORTS && lastReport.compareAndSet(last, now)) {
            try {
                report.run();
            } catch (Throwable broken) {
                // a logger that needs a thread itself: what is reported goes on
            }
        }
    }

    static ThreadFactory daemons(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(null, task, prefix + number.incrementAndGet(), 0, false);
            thread.setContextClassLoader(null);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Whether this JDK has virtual threads, as from 21 on. */
    public static boolean canBeVirtual() {
        return Runtime.version().feature() >= 21;
    }

    /** By reflection, because this library is compiled for Java 17. */
    private static ThreadFactory virtual(String prefix) {
        try {
            Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            type.getMethod("inheritInheritableThreadLocals", boolean.class).invoke(builder, false);
            type.getMethod("name", String.class, long.class).invoke(builder, prefix, 1L);
            return (ThreadFactory) type.getMethod("factory").invoke(builder);
        } catch (ReflectiveOperationException notThere) {
            String version = "Java " + Runtime.version().feature();
            throw new UnsupportedOperationException(version + " has no virtual threads", notThere);
        }
    }

    /** Lets idle threads go at once, from now on too. Tasks are run as before. */
    public static void releaseIdle(ThreadPoolExecutor pool) {
        pool.setKeepAliveTime(1, TimeUnit.NANOSECONDS);
    }

    /**
     * Where the system has no thread for a task, the task waits for one that the pool has already. A thread that cannot be
     * started may cost 10 ms, so a pool that was refused one does not ask again at once.
     */
    private static final class Pool extends ThreadPoolExecutor {

        private static final long BETWEEN_TRIES = TimeUnit.MILLISECONDS.toNanos(100);

        private final HandOff queue;
        private volatile @Nullable Long refusedAt;

        Pool(int max, long keptIdleMillis, ThreadFactory threads, HandOff queue) {
            super(0, max, keptIdleMillis, TimeUnit.MILLISECONDS, queue, threads, (task, pool) -> queue.enqueue(task));
            this.queue = queue;
        }

        /** @throws OutOfMemoryError if the pool has no thread either; then the task is not run */
        @Override
        public void execute(Runnable task) {
            Long refused = refusedAt;
            if (refused != null && System.nanoTime() - refused < BETWEEN_TRIES) {
                waitForThread(task, new OutOfMemoryError("There was no thread a moment ago"));
                return;
            }
            try {
                super.execute(task);
            } catch (OutOfMemoryError noThread) {
                refusedAt = System.nanoTime();
                waitForThread(task, noThread);
            }
        }

        private void waitForThread(Runnable task, OutOfMemoryError noThread) {
            queue.enqueue(task);
            boolean keepsNone = getKeepAliveTime(TimeUnit.MILLISECONDS) == 0; // the last thread may be about to end
            if ((keepsNone || getPoolSize() == 0) && remove(task)) {
                throw noThread;
            }
            reportShortage();
        }
    }

    /**
     * Takes a task only for an idle thread, so that a pool makes threads before it queues tasks, and not behind them. A
     * {@code LinkedTransferQueue} would do that alone; but before JDK 22 a thread that gives up waiting in it may go round
     * in circles for ever (JDK-8301341).
     */
    private static final class HandOff extends LinkedBlockingQueue<Runnable> {

        private static final long serialVersionUID = 1;

        /** How many more threads wait than tasks do. Below zero, tasks wait for a thread. */
        private int idle;

        @Override
        public synchronized boolean offer(Runnable task) {
            return idle > 0 && enqueue(task);
        }

        synchronized boolean enqueue(Runnable task) {
            idle--;
            return super.offer(task);
        }

        @Override
        public synchronized boolean remove(@Nullable Object task) {
            boolean removed = super.remove(task);
            if (removed) {
                idle++;
            }
            return removed;
        }

        @Override
        public @Nullable Runnable poll(long timeout, TimeUnit unit) throws InterruptedException {
            add(1);
            Runnable task;
            try {
                task = super.poll(timeout, unit);
            } catch (InterruptedException interrupted) {
                add(-1);
                throw interrupted;
            }
            return task == null ? pollLast() : task;
        }

        /** Stops waiting, unless a task has come for this thread meanwhile. */
        private synchronized @Nullable Runnable pollLast() {
            Runnable task = super.poll();
            if (task == null) {
                idle--;
            }
            return task;
        }

        private synchronized void add(int threads) {
            idle += threads;
        }
    }
}
