package dev.resilience.hedge;

import dev.resilience.event.HedgeOutcome;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.time.WorkerThreads;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One call that may have two attempts, and the future of its end.
 *
 * <p>The first of these ends the call: an attempt that answers, the last attempt that fails, the caller who gives up. The lock,
 * under which no code of others runs, decides between them. Safe for use by many threads.
 */
final class HedgedCall extends CompletableFuture<@Nullable Object> {

    final long delayNanos;

    /** Of the thread that has the second attempt. */
    boolean hasWaited;

    private final Hedge hedge;
    private final long start;
    private Runnable stopFirst = () -> {};
    private @Nullable CompletableFuture<@Nullable Object> second;
    private boolean secondBegan; // this and the next with the lock
    private boolean hasNoBudget;
    private boolean isDecided;
    private volatile @Nullable Throwable earlier; // the failure of one, while the other goes on
    private @Nullable Throwable thrown; // before it is complete

    HedgedCall(Hedge hedge, long start, long delayNanos) {
        this.hedge = hedge;
        this.start = start;
        this.delayNanos = delayNanos;
    }

    /** Before the end of the first attempt is reported. The second one waits until it is due. */
    void begun(Runnable stoppingFirst, @Nullable CompletableFuture<@Nullable Object> waiting) {
        stopFirst = stoppingFirst;
        second = waiting;
        if (waiting != null) {
            endsWith(false, waiting);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the call itself is awaited
    void endsWith(boolean isFirst, CompletableFuture<@Nullable Object> attempt) {
        attempt.handle((answer, failure) -> {
            ended(isFirst, answer, failure == null ? null : AsyncCall.unwrap(failure));
            return null;
        });
    }

    /** The second attempt is due. Returns whether it begins. */
    synchronized boolean secondBegins() {
        secondBegan = !isDecided && hedge.tryAcquire();
        hasNoBudget = !isDecided && !secondBegan;
        return secondBegan;
    }

    /** An attempt has ended. */
    void ended(boolean isFirst, @Nullable Object answer, @Nullable Throwable failure) {
        boolean answers = failure == null || hedge.isAnswer(failure);
        synchronized (this) {
            if (isDecided || !(isFirst || secondBegan)) {
                return; // it has lost, or was not due
            }
            if (!answers && secondBegan && earlier == null) {
                earlier = failure;
                return;
            }
        }
        HedgeOutcome winner = isFirst ? HedgeOutcome.FIRST_WON : HedgeOutcome.SECOND_WON;
        end(answers ? winner : HedgeOutcome.UNANSWERED, answer, failure);
    }

    /** The caller gives up. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        Throwable known = earlier;
        return end(HedgeOutcome.UNANSWERED, null, known == null ? new CancellationException() : known);
    }

    /** Unless it has ended, stops what still runs of it and completes the future. */
    private boolean end(HedgeOutcome ofTwo, @Nullable Object answer, @Nullable Throwable failure) {
        HedgeOutcome ofOne;
        synchronized (this) {
            if (isDecided) {
                return false;
            }
            isDecided = true;
            ofOne = hasNoBudget ? HedgeOutcome.BUDGET_EXHAUSTED : HedgeOutcome.FIRST;
        }
        hedge.ended(secondBegan ? ofTwo : ofOne, start, failure == null);
        if (secondBegan) { // what the application does because of the stop must not delay the answer
            hedge.time.schedule(Duration.ZERO, this::stop, WorkerThreads.ENDS);
        } else {
            stop();
        }
        if (failure == null) {
            return super.complete(answer);
        }
        Throwable other = earlier;
        if (other != null && other != failure) {
            failure.addSuppressed(other);
        }
        thrown = failure;
        return super.completeExceptionally(failure);
    }

    /** Not by {@code cancel}, which would make an exception that nothing reads. */
    private void stop() {
        stopFirst.run();
        if (second != null) {
            second.complete(null);
        }
    }

    /** The end of a blocking call whose first attempt has ended. An interrupt of the caller ends the wait for the second. */
    @Nullable
    Object await() throws Throwable {
        boolean interrupted = false;
        while (!isDone()) {
            try {
                get();
            } catch (InterruptedException ofCaller) {
                interrupted = true;
                cancel(true);
            } catch (ExecutionException | CancellationException ended) {
                // is done
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (thrown != null) {
            throw thrown;
        }
        return join();
    }
}
