package dev.resilience.pipeline;

import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The future that an asynchronous step returns: knows what it waits for, and when it is cancelled or completed from
 * outside, cancels that. {@link CompletableFuture}'s own dependents do not: cancelling one leaves its source running.
 *
 * <p>It also remembers the context of the call for which it was made, and every thread that goes on with the call does so
 * in this context. What others do when the future ends is not part of the call: it runs in whatever context the thread
 * had before.
 *
 * <p>One compare-and-set decides between an answer and a cancellation. A cancellation first stops what the future waits
 * for and then tells those who wait for the future, for what they do about it may take long. Safe for use by many
 * threads.
 */
public final class LinkedFuture extends CompletableFuture<@Nullable Object> {

    private static final Logger log = LoggerFactory.getLogger(LinkedFuture.class);

    /** What was current before the thread went on with a call; {@code null} while it does not. */
    private static final ThreadLocal<@Nullable CallContext> OUTSIDE = new ThreadLocal<>();

    private final CallContext context = CallContext.current();
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile Runnable cancellation = LinkedFuture::nothing;

    public LinkedFuture() {
        whenEnded(this, (result, failure) -> stop()); // for the ways to complete it that nobody can override
    }

    /**
     * Runs a body that returns a stage, and ends as the stage does. Never throws: what the body throws is the future's
     * failure, and so is a body that returns no stage. A failure comes without the wrapper that stages put around it.
     */
    public static CompletableFuture<@Nullable Object> of(Invocation body) {
        try {
            Object stage = body.proceed();
            if (stage instanceof CompletionStage<?> started) {
                return behind(started);
            }
            throw new NullPointerException(
                    "An asynchronous method returned " + stage + " in place of a CompletionStage");
        } catch (Throwable failure) {
            if (failure instanceof InterruptedException) {
                Thread.currentThread().interrupt(); // it was meant for the caller's thread, which is this one
            }
            return CompletableFuture.failedFuture(unwrap(failure));
        }
    }

    private static LinkedFuture behind(CompletionStage<?> stage) {
        LinkedFuture future = new LinkedFuture();
        future.cancelling(() -> cancel(stage));
        whenEnded(stage, future::finish);
        return future;
    }

    /** Says how to cancel what this future waits for from now on; done at once, or a second time, if it is over already. */
    public void cancelling(Runnable action) {
        cancellation = action;
        if (isOver()) {
            action.run();
        }
    }

    /** Whether it has ended or is about to: what comes now comes too late. */
    public boolean isOver() {
        return over.get() || isDone();
    }

    /**
     * Runs the rest of a pipeline and then tells how it ended, as {@link #await(CompletableFuture, BiConsumer)} does.
     */
    public void await(Step next, Invocation invocation, BiConsumer<@Nullable Object, @Nullable Throwable> then) {
        CompletableFuture<@Nullable Object> source;
        try {
            source = next.callAsync(invocation);
        } catch (Throwable broken) { // a step must not throw, but what it would leak is somebody else's
            source = CompletableFuture.failedFuture(broken);
        }
        await(source, then);
    }

    /**
     * Waits for another future, which is cancelled with this one, and then tells how it ended.
     *
     * @param then ends this future, or lets it wait for something else. What it throws ends this future too, so that no
     *     caller waits for ever
     */
    public void await(
            CompletableFuture<@Nullable Object> source, BiConsumer<@Nullable Object, @Nullable Throwable> then) {
        cancelling(() -> source.cancel(true));
        whenEnded(source, (result, failure) -> inContext(() -> then.accept(result, failure)));
    }

    /**
     * Waits without a thread and then goes on.
     *
     * @param next what comes after the wait; what it throws ends this future
     * @param onCancel what comes in its place if this future is cancelled or completed from outside meanwhile
     */
    public void pause(TimeSource time, Duration wait, Runnable next, Runnable onCancel) {
        Pause pause = new Pause(() -> inContext(next), onCancel);
        cancelling(pause::cancel); // before the timer is set: what comes next says itself how to be cancelled
        pause.start(time, wait);
    }

    /**
     * Goes on with the call on the current thread, in the call's context. What the action throws ends this future.
     */
    public void inContext(Runnable action) {
        boolean entered = OUTSIDE.get() == null;
        if (entered) {
            OUTSIDE.set(CallContext.current());
        }
        try {
            context.run(action);
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            finish(null, broken);
        } finally {
            if (entered) {
                OUTSIDE.set(null);
            }
        }
    }

    /** Ends this future as another one ended. */
    public void finish(@Nullable Object result, @Nullable Throwable failure) {
        cancellation = LinkedFuture::nothing; // there is nothing left to cancel
        CallContext outside = OUTSIDE.get();
        if (outside == null) {
            end(result, failure);
            return;
        }
        OUTSIDE.set(null);
        try {
            outside.run(() -> end(result, failure));
        } finally {
            OUTSIDE.set(outside);
        }
    }

    @Override
    public boolean complete(@Nullable Object value) {
        return over.compareAndSet(false, true) && stopAnd(() -> super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return over.compareAndSet(false, true) && stopAnd(() -> super.completeExceptionally(failure));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return over.compareAndSet(false, true) ? stopAnd(() -> super.cancel(mayInterruptIfRunning)) : isCancelled();
    }

    private boolean stopAnd(BooleanSupplier end) {
        boolean ended;
        try {
            stop();
        } finally {
            ended = end.getAsBoolean();
        }
        return ended;
    }

    /** Stops what it waits for, unless it ended by itself; lets go of the call and its arguments in any case. */
    private void stop() {
        Runnable action = cancellation;
        cancellation = LinkedFuture::nothing;
        action.run();
    }

    private void end(@Nullable Object result, @Nullable Throwable failure) {
        if (failure == null) {
            complete(result);
        } else {
            completeExceptionally(unwrap(failure));
        }
    }

    /** The failure that a stage passed on, without the wrappers that {@link CompletableFuture} puts around it. */
    public static Throwable unwrap(Throwable failure) {
        Throwable unwrapped = failure;
        while (unwrapped instanceof CompletionException && unwrapped.getCause() != null) {
            unwrapped = unwrapped.getCause();
        }
        return unwrapped;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }

    /**
     * As {@code whenComplete}, which would wrap the failure into an exception of its own, stack trace and all, for a
     * stage that nobody reads.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for the action, only for what it completes
    private static <T extends @Nullable Object> void whenEnded(
            CompletionStage<T> stage, BiConsumer<? super T, @Nullable Throwable> action) {
        stage.handle((result, failure) -> {
            action.accept(result, failure);
            return true;
        });
    }

    private static void nothing() {}

    private static void cancel(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (UnsupportedOperationException cannotBeCancelled) {
            // the stage's own choice: its result is ignored
        } catch (Throwable broken) { // the same for a stage that would rather throw, a checked one too
            log.warn("A {} could not be cancelled", stage.getClass().getName(), broken);
        }
    }
}
