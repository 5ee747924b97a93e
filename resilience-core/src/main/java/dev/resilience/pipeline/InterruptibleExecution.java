package dev.resilience.pipeline;

import dev.resilience.context.CallContext;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A body that runs on the current thread and may be interrupted by others until it has ended, and never later. One
 * compare-and-set decides between the end and an interrupt. Interrupts, and the ends of bodies that had one, take turns on
 * the lock of the thread's slots, so that an end takes back what reached its own body only; the other ends need no lock.
 *
 * <p>An interrupt that came from elsewhere stays if it was there before ours, or was sent to an outer body on the same
 * thread. Another one that comes after ours is taken for ours, because a thread has but one flag.
 *
 * <p>Made, begun and ended on the thread of the body; interrupted by any. Not for applications.
 */
@SuppressWarnings("serial") // an atomic by inheritance, to save an object a call
public final class InterruptibleExecution extends AtomicInteger {

    private static final int RUNNING = 0;
    private static final int INTERRUPTED = 1;
    private static final int ENDED = 2;

    private final Thread thread = Thread.currentThread();
    private final @Nullable Object[] slots = CallContext.ofThread();
    private @Nullable InterruptibleExecution outer;
    private boolean wasInterrupted; // like the next, guarded by the lock
    private boolean outerWasInterrupted;

    /** Says that the thread works for this body from now on. */
    public void begin() {
        outer = (InterruptibleExecution) slots[CallContext.EXECUTION];
        slots[CallContext.EXECUTION] = this;
    }

    /** Interrupts the body, unless it has ended. */
    public void interrupt() {
        synchronized (slots) {
            if (get() == RUNNING) {
                wasInterrupted = slots[CallContext.EXECUTION] == this && thread.isInterrupted();
                outerWasInterrupted = isOuterInterrupted();
            }
            if (compareAndSet(RUNNING, INTERRUPTED) || get() == INTERRUPTED) {
                thread.interrupt();
            }
        }
    }

    /**
     * Ends the body; called once.
     *
     * @return whether it was not interrupted
     */
    public boolean end() {
        boolean undisturbed = compareAndSet(RUNNING, ENDED);
        if (!undisturbed) {
            synchronized (slots) {
                set(ENDED);
                Thread.interrupted();
                if (wasInterrupted || (!outerWasInterrupted && isOuterInterrupted())) {
                    thread.interrupt();
                }
            }
        }
        slots[CallContext.EXECUTION] = outer;
        return undisturbed;
    }

    /** Of the interrupts of outer bodies, this one may have noticed those that came before its own, and no others. */
    private boolean isOuterInterrupted() {
        InterruptibleExecution around = outer;
        while (around != null && around.get() == RUNNING) {
            around = around.outer;
        }
        return around != null;
    }

    /**
     * Lets a blocking caller wait for an end. An interrupt of its thread is passed on, and set again afterwards.
     *
     * @param wasInterrupted whether there was one before
     */
    public static void await(CompletableFuture<?> end, boolean wasInterrupted, Runnable interrupt) {
        boolean interrupted = wasInterrupted;
        while (!end.isDone()) {
            try {
                end.get();
            } catch (InterruptedException ofCaller) {
                interrupted = true;
                interrupt.run();
            } catch (ExecutionException | CancellationException failed) {
                // is done
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A call that runs on other threads than its caller's, and that the end of the application may stop. */
    @FunctionalInterface
    public interface Stoppable {

        /** Interrupts the body of the call, or cancels the stage that it has returned. */
        void stop();
    }
}
