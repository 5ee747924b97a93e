package dev.resilience.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * What whoever runs the body of an idempotent call has to ask before it and to tell after it, in the transaction that the
 * body runs in and before that is committed. Attached to the {@linkplain dev.resilience.pipeline.Invocation#attach
 * invocation}. Used on the thread of the body.
 */
public interface RunningBody {

    /**
     * Whether the body has ended before, in a transaction that was committed or still may be by the current thread, and so
     * must not run again, however its call went on. If not, it begins now.
     *
     * @throws dev.resilience.exception.IdempotencyInProgressException if another thread is about to commit it
     * @throws dev.resilience.exception.IdempotencyLeaseLostException if the key belongs to another call by now
     */
    boolean hasEnded();

    /**
     * What it returned then.
     *
     * @throws Throwable what it threw then
     */
    @Nullable
    Object result() throws Throwable;

    /**
     * The body has returned. If it is in a transaction in which the store can write, its result is written.
     *
     * @throws dev.resilience.exception.ResilienceException if the transaction must not be committed: the key belongs to
     *     another call by now, or the result cannot be kept
     */
    void returned(@Nullable Object result);

    /** The body has thrown, which its transaction may survive. */
    void threw(Throwable failure);
}
