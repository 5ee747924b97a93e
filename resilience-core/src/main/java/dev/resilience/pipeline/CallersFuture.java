package dev.resilience.pipeline;

import dev.resilience.context.CallContext;
import dev.resilience.pipeline.InterruptibleExecution.Stoppable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the caller has of an asynchronous call. It ends once: by the call, by a cancellation or completion from outside,
 * or because its time is over; a compare-and-set decides, and the others change nothing. Safe for use by many threads.
 */
abstract class CallersFuture extends CompletableFuture<@Nullable Object> implements Stoppable {

    private static final AtomicIntegerFieldUpdater<CallersFuture> END =
            AtomicIntegerFieldUpdater.newUpdater(CallersFuture.class, "end");

    private static final int OPEN = 0;
    private static final int ANSWERED = 1;
    private static final int GIVEN_UP = 2;
    private static final int TIMED_OUT = 3;

    /** What observes this call alone; set when the call is made. */
    @Nullable
    Object observer;

    private volatile int end;

    /** Whether the caller has an answer already, and none is wanted from the call any more. */
    public boolean isOver() {
        return end > ANSWERED;
    }

    /** The call has ended. */
    final void answer(@Nullable Object result, @Nullable Throwable failure) {
        if (answers()) {
            completeAnswer(result, failure);
        }
    }

    final void completeAnswer(@Nullable Object result, @Nullable Throwable failure) {
        if (failure == null) {
            super.complete(result);
        } else {
            super.completeExceptionally(failure);
        }
    }

    private boolean answers() {
        return END.compareAndSet(this, OPEN, ANSWERED) || end == ANSWERED;
    }

    /** For the outermost step: whether the call ends before its time is over; from now on it does. */
    public boolean endsInTime() {
        return answers() || end != TIMED_OUT;
    }

    /**
     * Ends the call with a failure before it has ended, and stops what it does.
     *
     * @param elsewhere runs what comes of the stop, which may take long and must not delay the caller's answer
     */
    public void timeOut(Executor elsewhere, Supplier<? extends Throwable> exceeded) {
        if (END.compareAndSet(this, OPEN, TIMED_OUT)) {
            try {
                elsewhere.execute(this::stop);
            } catch (Throwable noThread) {
                stop();
            }
            answerTimedOut(exceeded);
        }
    }

    void answerTimedOut(Supplier<? extends Throwable> exceeded) {
        completeAnswer(null, report(exceeded));
    }

    /** Reports what happens to the call on a thread that works for something else: a timer's, or another call's. */
    public <T> T report(Supplier<T> report) {
        @Nullable Object[] slots = CallContext.ofThread();
        Object before = slots[CallContext.OBSERVER];
        slots[CallContext.OBSERVER] = observer;
        try {
            return report.get();
        } finally {
            slots[CallContext.OBSERVER] = before;
        }
    }

    /** Ends the call with a failure, unless it has ended. */
    final void giveUp(Throwable failure, Runnable stopping) {
        boolean isFirst = END.compareAndSet(this, OPEN, GIVEN_UP);
        stopping.run();
        if (isFirst) {
            super.completeExceptionally(failure);
        }
    }

    @Override
    public boolean complete(@Nullable Object value) {
        return endFromOutside(() -> super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable thrown) {
        return endFromOutside(() -> super.completeExceptionally(thrown));
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return endFromOutside(() -> super.cancel(mayInterruptIfRunning)) || isCancelled();
    }

    /** First stops the call and then tells those who wait for the answer, because what they do may take long. */
    private boolean endFromOutside(Runnable completion) {
        boolean isFirst = END.compareAndSet(this, OPEN, GIVEN_UP);
        if (isFirst) {
            try {
                stop();
            } finally {
                completion.run();
            }
        }
        return isFirst;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }

    /** The failure that a stage passed on, without the wrappers that stages put around it. */
    public static Throwable unwrap(Throwable failure) {
        Throwable unwrapped = failure;
        while (unwrapped instanceof CompletionException && unwrapped.getCause() != null) {
            unwrapped = unwrapped.getCause();
        }
        return unwrapped;
    }

    /** What a call fails with if a context carrier does not run its task. */
    public static Throwable notRun() {
        return new IllegalStateException("A context carrier did not run the task that it had wrapped");
    }

    /** For the steps of a call that was stopped, which do not need to know where. */
    static final class Cancelled extends CancellationException {

        private static final long serialVersionUID = 1;

        Cancelled() {
            super("The call was cancelled");
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
