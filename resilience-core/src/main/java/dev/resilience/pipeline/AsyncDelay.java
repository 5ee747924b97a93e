package dev.resilience.pipeline;

import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A wait without a thread: it either goes on when its time is over or is cancelled, never both. */
final class AsyncDelay {

    private final Runnable next;
    private final Runnable onCancel;
    private final AtomicBoolean decided = new AtomicBoolean();
    private volatile @Nullable Scheduled timer;

    AsyncDelay(Runnable next, Runnable onCancel) {
        this.next = next;
        this.onCancel = onCancel;
    }

    /**
     * Starts the wait; it may be over, or cancelled, before this method returns.
     *
     * @param executor where it goes on; {@code null} for where the source of time says
     */
    void start(TimeSource time, Duration wait, @Nullable Executor executor) {
        Scheduled scheduled =
                executor == null ? time.schedule(wait, this::goOn) : time.schedule(wait, this::goOn, executor);
        timer = scheduled;
        if (decided.get()) {
            scheduled.cancel();
        }
    }

    private void goOn() {
        if (decided.compareAndSet(false, true)) {
            next.run();
        }
    }

    void cancel() {
        if (decided.compareAndSet(false, true)) {
            Scheduled scheduled = timer;
            if (scheduled != null) {
                scheduled.cancel();
            }
            onCancel.run();
        }
    }
}
