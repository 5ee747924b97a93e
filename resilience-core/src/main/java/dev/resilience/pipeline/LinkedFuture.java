package dev.resilience.pipeline;

import dev.resilience.context.CallContext;
import dev.resilience.context.ContextCarrier;
import dev.resilience.time.StoppableTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The future that an asynchronous step returns: waits for other futures, which are {@linkplain CancellableFuture cancelled
 * with it}.
 *
 * <p>It remembers the context of the call for which it was made, and every thread that goes on with the call does so
 * in this context. Code of the application that runs for the call on another thread also finds there what was bound to
 * the caller's, see {@link CallOrigin}. What others do when the future ends is not part of the call: it runs in whatever
 * context the thread had before.
 *
 * <p>Safe for use by many threads.
 */
public final class LinkedFuture extends CancellableFuture {

    private final CallContext context = CallContext.current();
    private final @Nullable CallOrigin origin = CallOrigin.current();

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
        future.cancelling(() -> Stages.cancel(stage));
        Stages.whenEnded(stage, future::finish);
        return future;
    }

    /**
     * Runs the rest of a pipeline and then tells how it ended, as {@link #await(CompletableFuture, BiConsumer)} does.
     */
    public void await(Step next, Invocation invocation, BiConsumer<@Nullable Object, @Nullable Throwable> then) {
        await(begin(next, invocation), then);
    }

    /**
     * As {@link #await(Step, Invocation, BiConsumer)}, but the rest of the pipeline is not cancelled with this future: it
     * goes on to its own end, which is told then.
     */
    public void awaitToTheEnd(
            Step next, Invocation invocation, BiConsumer<@Nullable Object, @Nullable Throwable> then) {
        cancellingNothing();
        Stages.whenEnded(begin(next, invocation), (result, failure) -> inContext(() -> then.accept(result, failure)));
    }

    private static CompletableFuture<@Nullable Object> begin(Step next, Invocation invocation) {
        try {
            return next.callAsync(invocation);
        } catch (Throwable broken) { // a step must not throw, but what it would leak belongs to another call
            return CompletableFuture.failedFuture(broken);
        }
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
        Stages.whenEnded(source, (result, failure) -> inContext(() -> then.accept(result, failure)));
    }

    /**
     * Waits without a thread and then goes on, see {@link AsyncDelay}.
     *
     * @param next what comes after the wait, in the surroundings of the caller; what it throws ends this future
     * @param onCancel what comes in its place if this future is cancelled or completed from outside meanwhile, or if the
     *     surroundings cannot be put in place, which ends this future, too
     */
    public void pause(StoppableTime time, Duration wait, Runnable next, Runnable onCancel) {
        new SingleDelay(this, time, next, onCancel).pause(wait);
    }

    /**
     * Goes on with the call on the current thread, in the call's context. What the action throws ends this future.
     */
    public void inContext(Runnable action) {
        try {
            CallScope.enter(context, action);
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            finish(null, broken);
        }
    }

    /**
     * Runs code of the application with what was bound to the thread on which the call was made, {@linkplain #inContext in
     * the call's context}. Costs nothing on that thread while the call is being made.
     *
     * @throws RuntimeException what the action throws, or what kept it from being run: it is never run without
     */
    public void inCallersSurroundings(Runnable action) {
        CallScope.inSurroundings(origin, action);
    }

    /** As {@link #inCallersSurroundings}, or without them: for what must be done, such as counting and telling the log. */
    public void inCallersSurroundingsIfPossible(Runnable action) {
        CallScope.inSurroundingsIfPossible(origin, action);
    }

    /**
     * Takes a body along to another thread.
     *
     * @param carrier takes along what this call does not have yet: nothing, if the call was made with the same one
     * @param executor what runs it there, and also what comes after waits inside of it; {@code null} if it runs where it
     *     happens to
     * @return what runs the body there, {@linkplain #inContext in the call's context}
     */
    public Runnable takingAlong(ContextCarrier carrier, @Nullable Executor executor, Runnable body) {
        return CallScope.takingAlong(origin, carrier, executor, body);
    }

    /** Whether the call takes along by a carrier what it takes along anyway. */
    public boolean takesAlongBy(ContextCarrier carrier) {
        return origin != null && origin.takesAlongBy(carrier);
    }

    /** Ends this future as another one ended. */
    public void finish(@Nullable Object result, @Nullable Throwable failure) {
        cancellingNothing();
        CallScope.outside(() -> end(result, failure));
    }

    /** Where the call runs, if that can be told. */
    @Nullable
    Executor executor() {
        return origin == null ? null : origin.executor();
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
        return Stages.unwrap(failure);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
