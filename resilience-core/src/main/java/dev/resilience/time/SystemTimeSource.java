package dev.resilience.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The system's clocks, one daemon thread that only keeps time, and two pools of daemon threads in which what is due
 * runs, one of them for what must not stand behind an application's slow code. Not the common pool, which belongs to
 * the application; it may fill that for as long as it likes.
 */
final class SystemTimeSource implements TimeSource {

    static final SystemTimeSource INSTANCE = new SystemTimeSource();

    /**
     * Wakes the timer's thread ten times a second. A timer that is due before all others has to wake it at once, which
     * costs the caller some microseconds; most are cancelled before they are due, and behind the next beat no
     * thread is woken for them.
     */
    private static final OnDemandTicker HEARTBEAT = new OnDemandTicker(100, SystemTimeSource::onTimer);

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
        Runnable inContext = withContextClassLoader(task);
        if (delay.isZero() || delay.isNegative()) {
            executor.execute(inContext);
            return () -> {};
        }
        HEARTBEAT.beats();
        Future<?> timer = Threads.TIMER.schedule(
                () -> executor.execute(inContext), Durations.toNanos(delay), TimeUnit.NANOSECONDS);
        return () -> timer.cancel(false);
    }

    private static Scheduled schedule(Duration delay, Runnable task, ExecutorService threads) {
        Runnable inContext = withContextClassLoader(task);
        if (delay.isZero() || delay.isNegative()) {
            Future<?> running = threads.submit(inContext);
            return () -> running.cancel(false);
        }
        HEARTBEAT.beats();
        Future<?> timer = Threads.TIMER.schedule(
                () -> threads.execute(inContext), Durations.toNanos(delay), TimeUnit.NANOSECONDS);
        return () -> timer.cancel(false);
    }

    /** What goes on elsewhere must find the classes that it would have found here. */
    private static Runnable withContextClassLoader(Runnable task) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return () -> {
            Thread thread = Thread.currentThread();
            thread.setContextClassLoader(loader);
            try {
                task.run();
            } finally {
                thread.setContextClassLoader(null);
            }
        };
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it is not waited for
    private static void onTimer(Runnable beat, long millis) {
        Threads.TIMER.schedule(beat, millis, TimeUnit.MILLISECONDS);
    }

    /** Asks for the time a hundred times a second, so that callers need only read it. */
    private static final class Ticker extends OnDemandTicker {

        static final Ticker INSTANCE = new Ticker();

        private volatile long now;

        Ticker() {
            super(10, SystemTimeSource::onTimer);
        }

        long nanoTime() {
            return beats() ? now : System.nanoTime();
        }

        @Override
        void onBeat() {
            now = System.nanoTime();
        }
    }

    /** Started by the first wait without a thread; applications that have none never pay for them. */
    private static final class Threads {

        private static final int MOST_WORKERS =
                Math.max(16, 4 * Runtime.getRuntime().availableProcessors());

        static final ExecutorService WORKERS = workers();

        /** As many as there are tasks due: one that hangs, such as a store that does not answer, delays no other. */
        static final ExecutorService URGENT = Executors.newCachedThreadPool(daemons("resilience-urgent-"));

        static final ScheduledThreadPoolExecutor TIMER = timer();

        private Threads() {}

        private static ExecutorService workers() {
            ThreadPoolExecutor workers = new ThreadPoolExecutor(
                    MOST_WORKERS,
                    MOST_WORKERS,
                    60,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    daemons("resilience-worker-"));
            workers.allowCoreThreadTimeOut(true);
            return workers;
        }

        private static ScheduledThreadPoolExecutor timer() {
            ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, daemons("resilience-timer-"));
            timer.setRemoveOnCancelPolicy(true);
            return timer;
        }

        /** Threads that keep nothing of the one that happened to start them. */
        private static ThreadFactory daemons(String prefix) {
            AtomicInteger number = new AtomicInteger();
            return task -> {
                Thread thread = new Thread(null, task, prefix + number.incrementAndGet(), 0, false);
                thread.setContextClassLoader(null);
                thread.setDaemon(true);
                return thread;
            };
        }
    }
}
