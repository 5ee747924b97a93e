package dev.resilience.retry;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The last failed call, and since when no call has succeeded. A success reads one reference, and writes only if there is
 * something to clear. Of calls that end at the same moment, any may be the last. Safe for use by many threads.
 */
final class FailureStreak {

    private volatile @Nullable Failure last;
    private final AtomicReference<@Nullable Instant> since = new AtomicReference<>();

    private record Failure(String type, Instant at) {}

    void failed(String type, Instant at) {
        last = new Failure(type, at);
        if (since.get() == null) {
            since.compareAndSet(null, at);
        }
    }

    void succeeded() {
        if (since.get() != null) {
            since.set(null);
        }
    }

    /** Reads the beginning first: so no streak is shown that began after the last failure shown with it. */
    RetryStatus status() {
        Instant began = since.get();
        Failure failure = last;
        return failure == null
                ? new RetryStatus(null, null, null)
                : new RetryStatus(failure.type(), failure.at(), began);
    }
}
