package dev.resilience.worker;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A body that runs on the current thread and may be interrupted by others until it has ended, and never later. The thread
 * that interrupts it first decides by one compare-and-set against its end; the end waits for an interrupt that is on its way
 * and takes it back, so that it reaches nothing that the thread does next.
 *
 * <p>An interrupt that came from elsewhere stays: one that was there before ours, and that of an outer body on the
 * same thread. One that comes after ours cannot be told from it, for a thread has but one flag.
 *
 * <p>Made, begun and ended on the thread of the body; interrupted by any.
 */
@SuppressWarnings("serial") // an atomic by inheritance, to save an object a call
public final class InterruptibleExecution extends AtomicInteger {

    /** The innermost run of a thread. */
    private static final ThreadLocal<@Nullable InterruptibleExecution> CURRENT = new ThreadLocal<>();

    private static final int RUNNING = 0;
    private static final int INTERRUPTING = 1;
    private static final int INTERRUPTING_AGAIN = 2;
    private static final int INTERRUPTED = 3;
    private static final int ENDED = 4;

    private boolean endsCall; // written before an interrupt is sent, read after one is seen
    private final Thread thread = Thread.currentThread();
    private final @Nullable InterruptibleExecution outer = CURRENT.get();
    private volatile @Nullable InterruptibleExecution inner;
    private volatile @Nullable InterruptibleExecution lastInterruptedInside; // of those that have ended
    private volatile int interrupts; // sent to this run; by one thread at a time
    private boolean interruptedBefore; // this and the next are written before INTERRUPTED is set, read after it is seen
    private int interruptsOfOutersBefore;

    /** A run whose caller gets what the body makes of an interrupt. */
    public InterruptibleExecution() {
        this(false);
    }

    /**
     * @param endsCall whether an interrupt ends the call as well: its caller gets nothing of what the body returns or throws
     */
    public InterruptibleExecution(boolean endsCall) {
        this.endsCall = endsCall;
    }

    /** Whether a call that runs on this thread has ended by an interrupt, though its body goes on. */
    public static boolean isCallOver() {
        InterruptibleExecution run = CURRENT.get();
        while (run != null && !(run.get() != RUNNING && run.endsCall)) {
            run = run.outer;
        }
        return run != null;
    }

    /** Says that the thread works for this run from now on. */
    public void begin() {
        CURRENT.set(this);
        if (outer != null) {
            outer.inner = this;
        }
    }

    /** As {@link #interrupt()}, and the call has ended: its caller has gone, and gets nothing of what the body does. */
    void interruptAndEndCall() {
        endsCall = true;
        interrupt();
    }

    /**
     * Interrupts the body, unless it has ended. Where another thread is about to do so, it is asked to do it once more:
     * the body may have noticed the first one already.
     */
    public void interrupt() {
        while (true) {
            if (compareAndSet(RUNNING, INTERRUPTING)) {
                interruptsOfOutersBefore = interruptsOfOuters();
                interruptedBefore = isInterruptedByOthers();
                send();
                return;
            }
            if (compareAndSet(INTERRUPTED, INTERRUPTING)) {
                send();
                return;
            }
            if (get() == ENDED || compareAndSet(INTERRUPTING, INTERRUPTING_AGAIN) || get() == INTERRUPTING_AGAIN) {
                return;
            }
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // only who is INTERRUPTING comes here
    private void send() {
        do {
            thread.interrupt();
            interrupts++;
        } while (!compareAndSet(INTERRUPTING, INTERRUPTED) && compareAndSet(INTERRUPTING_AGAIN, INTERRUPTING));
    }

    /**
     * Ends the run; called once, on the thread of the body.
     *
     * @return whether it was not interrupted
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

    /** Of the interrupts of outer runs, the body may have noticed those that came before ours, and no others. */
    private void takeBack() {
        Thread.interrupted();
        for (InterruptibleExecution run = outer; run != null; run = run.outer) {
            run.lastInterruptedInside = this;
        }
        if (interruptedBefore || interruptsOfOuters() != interruptsOfOutersBefore) {
            thread.interrupt();
        }
    }

    /**
     * How many were sent to the outer runs. One that is on its way is waited for: it asks whether the flag was there
     * before, and must not find one that was set for it.
     */
    @SuppressWarnings("ThreadPriorityCheck") // right however the threads are scheduled, and a yield is seldom needed
    private int interruptsOfOuters() {
        int sum = 0;
        for (InterruptibleExecution run = outer; run != null; run = run.outer) {
            int state = run.get();
            while (state == INTERRUPTING || state == INTERRUPTING_AGAIN) {
                Thread.yield();
                state = run.get();
            }
            sum += run.interrupts;
        }
        return sum;
    }

    /**
     * Whether the flag is set, and not because of a run inside this one. Asked by another thread than the body's, so one
     * inside may end meanwhile: if it took a flag back after it was seen here, it said so before it was gone.
     */
    private boolean isInterruptedByOthers() {
        InterruptibleExecution lastBefore = lastInterruptedInside;
        if (!thread.isInterrupted()) {
            return false;
        }
        for (InterruptibleExecution run = inner; run != null; run = run.inner) {
            if (run.get() != RUNNING) {
                return false;
            }
        }
        return lastInterruptedInside == lastBefore;
    }
}
