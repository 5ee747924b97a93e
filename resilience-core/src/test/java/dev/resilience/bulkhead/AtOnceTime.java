package dev.resilience.bulkhead;

import dev.resilience.concurrency.StubTime;
import java.time.Duration;

/** A clock that stands still, with one timer; what is due at once runs at once. */
class AtOnceTime extends StubTime {

    @Override
    public Scheduled schedule(Duration delay, Runnable task) {
        if (delay.isZero()) {
            task.run();
            return () -> {};
        }
        return super.schedule(delay, task);
    }
}
