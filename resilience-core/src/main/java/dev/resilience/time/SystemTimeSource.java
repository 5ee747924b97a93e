package dev.resilience.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The system's clocks, and one daemon thread that only keeps time: what is due runs in the common pool, so that a slow
 * task delays no other.
 */
final class SystemTimeSource implements TimeSource {

    static final SystemTimeSource INSTANCE = new SystemTimeSource();

    private SystemTimeSource() {}

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Durations.toNanos(duration));
    }

    @Override
    public void park(Object blocker, Duration atMost) {
        LockSupport.parkNanos(blocker, Durations.toNanos(atMost));
    }

    @Override
    public Scheduled schedule(Duration delay, Runnable task) {
        Future<?> timer = Timer.THREAD.schedule(
                () -> Timer.WORKERS.execute(task), Durations.toNanos(delay), TimeUnit.NANOSECONDS);
        return () -> timer.cancel(false);
    }

    /** Started by the first wait without a thread; applications that have none never pay for it. */
    private static final class Timer {

        static final Executor WORKERS = ForkJoinPool.commonPool();
        static final ScheduledThreadPoolExecutor THREAD = new ScheduledThreadPoolExecutor(1, runnable -> {
            Thread thread = new Thread(runnable, "resilience-timer");
            thread.setDaemon(true);
            return thread;
        });

        static {
            THREAD.setRemoveOnCancelPolicy(true);
        }

        private Timer() {}
    }
}
