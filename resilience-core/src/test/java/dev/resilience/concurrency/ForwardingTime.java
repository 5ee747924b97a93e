package dev.resilience.concurrency;

import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.time.Instant;

/** Manual time, of which a test changes what it needs. */
public class ForwardingTime implements TimeSource {

    public final ManualTimeSource manual = new ManualTimeSource();

    @Override
    public long nanoTime() {
        return manual.nanoTime();
    }

    @Override
    public Instant now() {
        return manual.now();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        manual.sleep(duration);
    }

    @Override
    public void park(Object blocker, Duration atMost) {
        manual.park(blocker, atMost);
    }

    @Override
    public Scheduled schedule(Duration delay, Runnable task) {
        return manual.schedule(delay, task);
    }
}
