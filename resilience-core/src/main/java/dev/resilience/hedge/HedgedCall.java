package dev.resilience.hedge;

import dev.resilience.event.HedgeOutcome;
import dev.resilience.fault.Causes;
import dev.resilience.pipeline.InterruptibleExecution;
import dev.resilience.pipeline.Invocation;
import dev.resilience.time.WorkerThreads;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One call that may have two attempts, and the future of its end.
 *
 * <p>The first of these ends the call: an attempt that answers, the last attempt that fails, the caller who gives up. No failure
 * of one attempt ends it while the other runs, because it may be due to there being two: a callee that keeps idempotency keys
 * may refuse the later one, whichever that is. The lock, under which no code of others runs, decides. Safe for use by many
 * threads.
 */
final class HedgedCall extends CompletableFuture<@Nullable Object> {

    final long delayNanos;
    final InterruptibleExecution body = new InterruptibleExecution(); // of the first attempt, on this thread

    volatile @Nullable CompletableFuture<?> second;
    private final Hedge hedge;
    private final long start;
    private volatile Runnable stopFirst = body::interrupt;
    private volatile @Nullable HedgeOutcome soFar = HedgeOutcome.FIRST; // null when the end is decided
    private volatile @Nullable Throwable earlier; // the failure of one, while the other goes on

    HedgedCall(Hedge hedge, Invocation call) {
        this.hedge = hedge;
        this.start = hedge.environment.time().nanoTime();
        this.delayNanos = hedge.delay(call, start);
    }

    /** The first attempt has left its caller's thread. */
    void firstReturned(CompletableFuture<?> first) {
        stopFirst = () -> first.complete(null);
        if (soFar == null) { // and perhaps the other one was stopped
            first.complete(null);
        }
        endsWith(HedgeOutcome.FIRST_WON, first);
    }

    void endsWith(HedgeOutcome ifItAnswers, CompletableFuture<?> attempt) {
        var unused = attempt.handle((answer, failure) -> ended(ifItAnswers, answer, failure));
    }

    /** The second attempt is due. Returns whether it begins. */
    synchronized boolean secondBegins() {
        if (soFar != null) {
            soFar = hedge.tryAcquire() ? HedgeOutcome.UNANSWERED : HedgeOutcome.BUDGET_EXHAUSTED;
        }
        return soFar == HedgeOutcome.UNANSWERED;
    }

    /** The caller gives up. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        Throwable known = earlier;
        return ended(null, null, known == null ? new CancellationException() : known);
    }

    /**
     * An attempt has ended, or the caller gives up. What ends the call stops what still runs of it, and completes the future.
     *
     * @param ifItAnswers how the call is counted then; {@code null} if the caller gives up
     */
    boolean ended(@Nullable HedgeOutcome ifItAnswers, @Nullable Object answer, @Nullable Throwable failure) {
        HedgeOutcome outcome;
        boolean wereTwo;
        synchronized (this) {
            outcome = soFar;
            wereTwo = outcome == HedgeOutcome.UNANSWERED;
            if (outcome == null) {
                return false; // it has lost
            }
            if (wereTwo && failure != null && ifItAnswers != null && earlier == null) {
                earlier = failure;
                return false;
            }
            soFar = null;
        }
        hedge.ended(wereTwo && failure == null && ifItAnswers != null ? ifItAnswers : outcome, start, failure == null);
        if (wereTwo) { // what the application does because of the stop must not delay the answer
            hedge.environment.time().schedule(Duration.ZERO, this::stop, WorkerThreads.ENDS);
        } else {
            stop();
        }
        Throwable other = earlier;
        if (failure != null && other != null) {
            Causes.suppress(failure, other);
        }
        return failure == null ? complete(answer) : completeExceptionally(failure);
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
        InterruptibleExecution.await(this, false, () -> cancel(true));
        Throwable thrown = handle((answer, failure) -> failure).join();
        if (thrown != null) {
            throw thrown;
        }
        return join();
    }
}
