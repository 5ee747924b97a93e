package dev.resilience.worker;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A body that runs on the current thread and may be interrupted by others until it has ended, and never later. Whoever
 * interrupts it first decides by one compare-and-set against its end; the end waits for an interrupt that is on its way
 * and takes it back, so that it reaches nothing that the thread does next.
 *
 * <p>An interrupt that came from elsewhere stays: one that was there before ours, and that of a body further out on the
 * same thread. One that comes after ours cannot be told from it, for a thread has but one flag.
 *
 * <p>Made, begun and ended on the thread of the body; interrupted by any.
 */
@SuppressWarnings("serial") // an atomic by inheritance, to save an object a call
public final class BodyRun extends AtomicInteger {

    /** The innermost run of a thread. */
    private static final ThreadLocal<@Nullable BodyRun> CURRENT = new ThreadLocal<>();

    private static final int RUNNING = 0;
    private static final int INTERRUPTING = 1;
    private static final int INTERRUPTED = 2;
    private static final int ENDED = 3;

    private final Thread thread = Thread.currentThread();
    private final @Nullable BodyRun outer = CURRENT.get();
    private volatile @Nullable BodyRun inner;
    private volatile @Nullable BodyRun lastInterruptedInside; // of those that have ended
    private boolean interruptedBefore; // written before INTERRUPTED is set, read after it is seen

    /** Says that the thread works for this run from now on. */
    public void begin() {
        CURRENT.set(this);
        if (outer != null) {
            outer.inner = this;
        }
    }

    /** Interrupts the body, unless it has ended. */
    public void interrupt() {
        if (compareAndSet(RUNNING, INTERRUPTING)) {
            interruptedBefore = isInterruptedByOthers();
        } else if (!compareAndSet(INTERRUPTED, INTERRUPTING)) {
            return; // it has ended, or another interrupt is on its way
        }
        try {
            thread.interrupt();
        } finally {
            set(INTERRUPTED);
        }
    }

    /**
     * Ends the run; called once, on the thread of the body.
     *
     * @return whether nobody interrupted it
     */
    @SuppressWarnings("ThreadPriorityCheck") // right however the threads are scheduled, and a yield is seldom needed
    public boolean end() {
        CURRENT.set(outer); // null in place of remove(): the next set() need not make the entry anew
        boolean undisturbed = compareAndSet(RUNNING, ENDED);
        if (!undisturbed) {
            while (!compareAndSet(INTERRUPTED, ENDED)) {
                Thread.yield();
            }
            takeBack();
        }
        if (outer != null) {
            outer.inner = null;
        }
        return undisturbed;
    }

    private void takeBack() {
        Thread.interrupted();
        boolean stays = interruptedBefore;
        for (BodyRun run = outer; run != null; run = run.outer) {
            run.lastInterruptedInside = this;
            stays |= run.isInterrupted();
        }
        if (stays) {
            thread.interrupt();
        }
    }

    /**
     * Whether it was interrupted. An interrupt that is on its way is waited for: it asks whether the flag was there
     * before, and must not find one that was set for it.
     */
    @SuppressWarnings("ThreadPriorityCheck") // right however the threads are scheduled, and a yield is seldom needed
    private boolean isInterrupted() {
        int state = get();
        while (state == INTERRUPTING) {
            Thread.yield();
            state = get();
        }
        return state == INTERRUPTED;
    }

    /**
     * Whether the flag is set, and not because of a run inside this one. Asked by another thread than the body's, so one
     * inside may end meanwhile: if it took a flag back after it was seen here, it said so before it was gone.
     */
    private boolean isInterruptedByOthers() {
        BodyRun lastBefore = lastInterruptedInside;
        if (!thread.isInterrupted()) {
            return false;
        }
        for (BodyRun run = inner; run != null; run = run.inner) {
            if (run.get() != RUNNING) {
                return false;
            }
        }
        return lastInterruptedInside == lastBefore;
    }
}
