package dev.resilience.circuitbreaker.window;

import dev.resilience.time.TimeSource;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What a circuit breaker knows of the calls that it let through: the window, how many failed in a row, and the type of the
 * last failure. Lock-free; recording allocates nothing.
 *
 * <p>A successful call costs one comparison for all that depends on the time: whether that has come for something to move.
 */
public final class CallStatistics {

    private final CallWindow window;
    private final TimeSource time;
    private final int failureThreshold;
    private final double failureRateThreshold;
    private final @Nullable LastSecond lastSecond;
    private final boolean timed;

    /** When the window or the last second has to move next, or a time before that. */
    private volatile long nextMove;

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
        this.nextMove = time.coarseNanoTime();
        this.lastSecond = failureThreshold > 0 && failureRateThreshold > 0 ? new LastSecond(window, nextMove) : null;
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
        if (timed) {
            long now = time.coarseNanoTime();
            if (now - nextMove >= 0) {
                moveTo(now);
            }
        }
        WindowCounts tooMany = window.record(failed, slow);
        if (failed && lastSecond != null) {
            lastSecond.callFailed();
        }
        return tooMany;
    }

    private void moveTo(long now) {
        long next = lastSecond == null ? now + Long.MAX_VALUE : lastSecond.moveTo(now);
        nextMove = now + Math.min(next - now, window.moveTo(now) - now);
    }

    public CallWindow window() {
        return window;
    }

    /** The type of a recent failure; {@code null} if none was recorded. */
    public @Nullable String lastFailure() {
        return lastFailure;
    }
}
