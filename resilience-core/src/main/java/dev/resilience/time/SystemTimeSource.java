package dev.resilience.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The system's clocks, one daemon thread that only keeps time, and two pools of daemon threads in which what is due
 * runs, one of them for what must not stand behind an application's slow code. Not the common pool, which belongs to
 * the application; it may fill that for as long as it likes. Each thread ends some seconds after its last task.
 *
 * <p>Where the system has no thread left, what is due waits for one of the pool that should run it; where that has none, for
 * one of the urgent ones; and where there is none of these, it runs on the thread that keeps the time.
 */
final class SystemTimeSource implements TimeSource {

    static final SystemTimeSource INSTANCE = new SystemTimeSource();

    private SystemTimeSource() {}

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long coarseNanoTime() {
        return Ticker.INSTANCE.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        if (Thread.interrupted()) { // which a sleep of zero would not notice
            throw new InterruptedException();
        }
        TimeUnit.NANOSECONDS.sleep(Durations.toNanos(duration));
    }

    @Override
    public void park(Object blocker, Duration atMost) {
        LockSupport.parkNanos(blocker, Durations.toNanos(atMost));
    }

    @Override
    public Scheduled schedule(Duration delay, Runnable task) {
        return schedule(delay, task, Threads.WORKERS);
    }

    @Override
    public Scheduled scheduleUrgent(Duration delay, Runnable task) {
        return schedule(delay, task, Threads.URGENT);
    }

    /** The timer hands the task over itself: of a thousand that are due at once, none needs a thread for that. */
    @Override
    public Scheduled schedule(Duration delay, Runnable task, Executor executor) {
        DueTask due = new DueTask(task, executor);
        if (delay.isZero() || delay.isNegative()) {
            due.call();
        } else {
            Ticker.INSTANCE.beats(); // or a timer that is due first wakes the timer's thread, which costs its caller
            due.timer = Threads.timer()
                    .schedule((Callable<@Nullable Object>) due, Durations.toNanos(delay), TimeUnit.NANOSECONDS);
        }
        return due;
    }

    /** A task that waits for its time. What goes on elsewhere must find the classes that it would have found here. */
    private static final class DueTask implements Runnable, Callable<@Nullable Object>, Scheduled {

        private final Runnable task;
        private final Executor executor;
        private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();
        private @Nullable Future<?> timer;

        DueTask(Runnable task, Executor executor) {
            this.task = task;
            this.executor = executor;
        }

        /** It is due. An executor of the application's that is full, or has ended, does not keep it from being done. */
        @Override
        public @Nullable Object call() {
            try {
                executor.execute(this);
            } catch (RejectedExecutionException refused) {
                runElsewhere();
            } catch (OutOfMemoryError noThread) {
                WorkerThreads.reportShortage();
                runElsewhere();
            }
            return null;
        }

        /** On the timer's thread where nothing else is left. */
        private void runElsewhere() {
            try {
                Threads.URGENT.execute(this);
            } catch (OutOfMemoryError noThread) {
                Threads.timer().execute(this);
            }
        }

        @Override
        public void run() {
            Thread thread = Thread.currentThread();
            thread.setContextClassLoader(loader);
            try {
                task.run();
            } catch (Throwable thrown) { // or the thread would end, and there may be no other one
                thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
            } finally {
                thread.setContextClassLoader(null);
            }
        }

        @Override
        public void cancel() {
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    /**
     * Wakes the timer's thread a hundred times a second as long as it is asked, and about a second longer. Callers need only
     * read the time; and behind the next beat the timer's thread is awake anyway, so that a timer that is set, and mostly
     * cancelled before it is due, costs its caller no microseconds to wake it.
     */
    private static final class Ticker {

        static final Ticker INSTANCE = new Ticker();

        private static final int MILLIS = 10;
        private static final int BEATS_UNTIL_IDLE = 100;

        private volatile long now;
        private volatile boolean beating;

        /** Plain, because it may be seen late; written only if it changes, so that threads can share it. */
        private boolean asked;

        private int idleBeats;

        long nanoTime() {
            return beats() ? now : System.nanoTime();
        }

        /** Whether it beats from now on; if not, the system has no thread left for it. */
        boolean beats() {
            if (!asked) {
                asked = true;
            }
            return beating || start();
        }

        private synchronized boolean start() {
            if (!beating) {
                idleBeats = 0;
                beating = next();
            }
            return beating;
        }

        private synchronized void beat() {
            idleBeats = asked ? 0 : idleBeats + 1;
            asked = false;
            beating = idleBeats < BEATS_UNTIL_IDLE && next();
        }

        @SuppressWarnings("FutureReturnValueIgnored") // it is not waited for
        private boolean next() {
            now = System.nanoTime();
            try {
                Threads.timer().schedule(this::beat, MILLIS, TimeUnit.MILLISECONDS);
                return true;
            } catch (OutOfMemoryError noThread) {
                return false;
            }
        }
    }

    /** Started by the first wait without a thread; applications that have none never pay for them. */
    private static final class Threads {

        static final Executor WORKERS = WorkerThreads.shared("resilience-worker-", WorkerThreads.MAX_THREADS);

        /** As many as there are tasks due: one that hangs, such as a store that does not answer, delays no other. */
        static final Executor URGENT = WorkerThreads.shared("resilience-urgent-", Integer.MAX_VALUE);

        private static final ScheduledThreadPoolExecutor TIMER =
                new ScheduledThreadPoolExecutor(1, WorkerThreads.daemons("resilience-timer-"));

        static {
            TIMER.setRemoveOnCancelPolicy(true);
            TIMER.setKeepAliveTime(WorkerThreads.SHARED_KEPT_IDLE_MILLIS, TimeUnit.MILLISECONDS);
            TIMER.allowCoreThreadTimeOut(true);
        }

        /** With its thread: a task must not stay in the queue if scheduling it fails. */
        static ScheduledThreadPoolExecutor timer() {
            TIMER.prestartCoreThread();
            return TIMER;
        }

        private Threads() {}
    }
}
