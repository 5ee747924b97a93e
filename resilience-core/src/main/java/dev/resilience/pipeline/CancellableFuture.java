package dev.resilience.pipeline;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A future that knows what it waits for, and when it is cancelled or completed from outside, cancels that. {@link
 * CompletableFuture}'s own dependents do not: cancelling one leaves its source running.
 *
 * <p>One compare-and-set decides between an answer and a cancellation. A cancellation first stops what the future waits
 * for and then tells those who wait for the future, because what they do about it may take long. Safe for use by many
 * threads.
 */
abstract class CancellableFuture extends CompletableFuture<@Nullable Object> {

    private static final VarHandle CANCELLATION;
    private static final Runnable NOTHING = new Nothing();
    private static final Runnable OVER = new Nothing();

    static {
        try {
            CANCELLATION =
                    MethodHandles.lookup().findVarHandle(CancellableFuture.class, "cancellation", Runnable.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private volatile Runnable cancellation = NOTHING;

    /** Says how to cancel what this future waits for from now on; done at once, or a second time, if it is over already. */
    public void cancelling(Runnable action) {
        if (!isWaitingFor(action)) {
            action.run();
        }
    }

    /** There is nothing left to cancel. */
    final void cancellingNothing() {
        isWaitingFor(NOTHING);
    }

    /** Replaces what is run when it is cancelled; {@code false} if that has been run. */
    private boolean isWaitingFor(Runnable action) {
        Runnable before = cancellation;
        while (before != OVER && !CANCELLATION.compareAndSet(this, before, action)) {
            before = cancellation;
        }
        return before != OVER;
    }

    /** Whether it has ended or is about to: what comes now comes too late. */
    public boolean isOver() {
        return cancellation == OVER || isDone();
    }

    @Override
    public boolean complete(@Nullable Object value) {
        return stopAnd(() -> super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return stopAnd(() -> super.completeExceptionally(failure));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return stopAnd(() -> super.cancel(mayInterruptIfRunning)) || isCancelled();
    }

    /** The other ways to complete it, too: a {@link CompletableFuture} does not tell of them. */
    @Override
    public CompletableFuture<@Nullable Object> completeAsync(
            Supplier<? extends @Nullable Object> supplier, Executor executor) {
        executor.execute(() -> {
            if (!isOver()) {
                completeBy(supplier);
            }
        });
        return this;
    }

    private void completeBy(Supplier<? extends @Nullable Object> supplier) {
        Object value;
        try {
            value = supplier.get();
        } catch (Throwable failure) {
            completeExceptionally(failure);
            return;
        }
        complete(value);
    }

    @Override
    public void obtrudeValue(@Nullable Object value) {
        stopAnd(() -> true);
        super.obtrudeValue(value);
    }

    @Override
    public void obtrudeException(Throwable failure) {
        stopAnd(() -> true);
        super.obtrudeException(failure);
    }

    /**
     * Stops what it waits for, unless it has ended already, and then ends. Lets go of the call and its arguments.
     */
    private boolean stopAnd(BooleanSupplier end) {
        Runnable action = (Runnable) CANCELLATION.getAndSet(this, OVER);
        if (action == OVER) {
            return false;
        }
        boolean ended;
        try {
            action.run();
        } finally {
            ended = end.getAsBoolean();
        }
        return ended;
    }

    private static final class Nothing implements Runnable {

        @Override
        public void run() {}
    }
}
