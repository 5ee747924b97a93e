package dev.resilience.circuitbreaker.window;

import dev.resilience.time.TimeSource;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What a circuit breaker knows of the calls that it let through: the window, how many failed in a row, and the type of the
 * last failure. Lock-free; recording allocates nothing.
 */
public final class CallStatistics {

    private final CallWindow window;
    private final TimeSource time;
    private final int failureThreshold;
    private final double failureRateThreshold;
    private final @Nullable LastSecond lastSecond;
    private final boolean timed;
    private final AtomicInteger consecutiveFailures = new AtomicInteger();

    /** Written and read without order between threads: any of several recent failures will do. */
    private @Nullable String lastFailure;

    /**
     * @param failureThreshold so many failures in a row are too many; 0 for no limit
     * @param failureRateThreshold the share of failures of the last second without which failures in a row are chance
     */
    public CallStatistics(CallWindow window, int failureThreshold, double failureRateThreshold, TimeSource time) {
        this.window = window;
        this.time = time;
        this.failureThreshold = failureThreshold;
        this.failureRateThreshold = failureRateThreshold;
        this.lastSecond =
                failureThreshold > 0 && failureRateThreshold > 0 ? new LastSecond(window, time.coarseNanoTime()) : null;
        this.timed = lastSecond != null || window.isTimed();
    }

    /** Records a success; what the window holds if one of its rates is too high, or {@code null}. */
    public @Nullable WindowCounts succeeded(boolean slow) {
        if (consecutiveFailures.get() != 0) {
            consecutiveFailures.set(0);
        }
        return record(false, slow);
    }

    /**
     * Records a failure, but not as one of several in a row.
     *
     * @param type the type of the failure, always the same instance for the same type
     * @return what the window holds if one of its rates is too high, or {@code null}
     */
    @SuppressWarnings("ReferenceEquality") // spares the writing; a text that is equal and another one is written
    public @Nullable WindowCounts failed(boolean slow, String type) {
        if (lastFailure != type) {
            lastFailure = type;
        }
        return record(true, slow);
    }

    /** Counts the failure that was recorded as one of several in a row; how many there are if these are too many, or 0. */
    public int oneMoreInARow() {
        int inARow = consecutiveFailures.incrementAndGet();
        return inARow >= failureThreshold && failureThreshold > 0 && isCalleeDown() ? inARow : 0;
    }

    /** Whether failures in a row mean something: where calls are many, a few of them are chance. */
    private boolean isCalleeDown() {
        return lastSecond == null || lastSecond.hasFailed(failureRateThreshold);
    }

    private @Nullable WindowCounts record(boolean failed, boolean slow) {
        long now = timed ? time.coarseNanoTime() : 0;
        if (lastSecond != null) {
            lastSecond.callEnds(now);
        }
        WindowCounts tooMany = window.record(failed, slow, now);
        if (failed && lastSecond != null) {
            lastSecond.callFailed();
        }
        return tooMany;
    }

    public CallWindow window() {
        return window;
    }

    /** The type of a recent failure; {@code null} if none was recorded. */
    public @Nullable String lastFailure() {
        return lastFailure;
    }
}
