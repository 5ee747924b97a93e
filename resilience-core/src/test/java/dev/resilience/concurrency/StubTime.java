package dev.resilience.concurrency;

import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A clock that a test moves in one atomic step, and one timer that a test lets go off: what has no part in a race only
 * makes it slower.
 */
public class StubTime implements TimeSource {

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicReference<Runnable> timer = new AtomicReference<>();

    public void advance(long byNanos) {
        nanos.addAndGet(byNanos);
    }

    @Override
    public long nanoTime() {
        return nanos.get();
    }

    @Override
    public Instant now() {
        return Instant.EPOCH.plusNanos(nanos.get());
    }

    @Override
    public void sleep(Duration duration) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void park(Object blocker, Duration atMost) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Scheduled schedule(Duration delay, Runnable task) {
        if (delay.isZero()) { // at once
            task.run();
            return () -> {};
        }
        timer.set(task);
        return () -> timer.compareAndSet(task, null);
    }

    /** Runs it on the thread that lets the timer go off. */
    @Override
    public Scheduled schedule(Duration delay, Runnable task, Executor executor) {
        return schedule(delay, task);
    }

    /** Lets the timer go off, if there is one that has not been cancelled. */
    public void timerGoesOff() {
        Runnable task = timer.getAndSet(null);
        if (task != null) {
            task.run();
        }
    }

    public boolean hasTimer() {
        return timer.get() != null;
    }
}
