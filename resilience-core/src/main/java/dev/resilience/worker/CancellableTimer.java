package dev.resilience.worker;

import dev.resilience.log.LogLine;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A timer that may be switched off before it is set, as others get to know of a call while it is still beginning. */
public final class CancellableTimer {

    private static final Logger log = LoggerFactory.getLogger(CancellableTimer.class);
    private static final LogLine CANCELLATION_FAILED = LogLine.warn("timer_cancellation_failed");

    private volatile @Nullable Scheduled timer;
    private volatile boolean off;

    /** Sets the alarm, once; what is due runs even if others' slow code fills the time source's workers. */
    public void set(TimeSource time, Duration delay, Runnable action) {
        timer = time.scheduleUrgent(delay, action);
        if (off) {
            cancel();
        }
    }

    /** Switches the alarm off. Never throws: its caller has a call to end. */
    public void off() {
        off = true;
        cancel();
    }

    /** A timer that is set already, but whose cancellation never throws. */
    static Scheduled quiet(Scheduled timer) {
        return () -> cancel(timer);
    }

    private void cancel() {
        Scheduled scheduled = timer;
        if (scheduled != null) {
            cancel(scheduled);
        }
    }

    private static void cancel(Scheduled scheduled) {
        try {
            scheduled.cancel();
        } catch (RuntimeException | Error broken) {
            CANCELLATION_FAILED.in(log).setCause(broken).log("A timer could not be cancelled");
        }
    }
}
