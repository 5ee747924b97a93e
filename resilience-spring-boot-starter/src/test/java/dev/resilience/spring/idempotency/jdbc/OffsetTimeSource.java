package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.time.Instant;

/** Clocks that are wrong, and run as fast as any other. */
record OffsetTimeSource(TimeSource right, Duration offset) implements TimeSource {

    @Override
    public long nanoTime() {
        return right.nanoTime() + offset.toNanos();
    }

    @Override
    public Instant now() {
        return right.now().plus(offset);
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        right.sleep(duration);
    }

    @Override
    public void park(Object blocker, Duration atMost) {
        right.park(blocker, atMost);
    }

    @Override
    public Scheduled schedule(Duration delay, Runnable task) {
        return right.schedule(delay, task);
    }

    @Override
    public Scheduled scheduleUrgent(Duration delay, Runnable task) {
        return right.scheduleUrgent(delay, task);
    }
}
