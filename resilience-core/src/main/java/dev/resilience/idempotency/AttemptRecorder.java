package dev.resilience.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Records the attempts of an idempotent call to run its body, each inside the transaction of the body and before that is
 * committed. Attached to the {@linkplain dev.resilience.pipeline.Invocation#attach invocation}. Attempts of one call on
 * several threads are safe.
 */
public interface AttemptRecorder {

    /**
     * Begins an attempt, on the thread of the body and in its transaction.
     *
     * @throws dev.resilience.exception.IdempotencyInProgressException if the end of an earlier attempt's transaction is
     *     not known yet
     * @throws dev.resilience.exception.IdempotencyLeaseLostException if the key belongs to another call by now, or the
     *     call has ended
     * @throws dev.resilience.exception.IdempotencyStoreException if the record cannot be locked in a transaction that has
     *     to, or an earlier attempt has left the transaction so that it must be rolled back
     */
    Attempt begin();

    /** One attempt. But for {@link #undone()} its methods are called on the thread of the body. */
    interface Attempt {

        /**
         * What an earlier attempt has ended with, if its transaction was committed or the current thread still may commit it:
         * then the body must not run again, and nothing else of this attempt is reported. {@code null} if the body is to run.
         */
        @Nullable
        EarlierAnswer earlierAnswer();

        /**
         * The body has returned. If it is in a transaction in which the store can write, its result is written.
         *
         * @throws dev.resilience.exception.ResilienceException if the transaction must not be committed: the key belongs to
         *     another call by now, the call has ended, or the result cannot be kept
         */
        void returned(@Nullable Object result);

        /** The body has thrown, which its transaction may survive. */
        void threw(Throwable failure);

        /**
         * Whether the end of the body's transaction is to be reported to {@link #undone()}, because the store cannot write in
         * that transaction and hears nothing of it.
         */
        boolean hearsNothingOfTransaction();

        /**
         * The transaction of this attempt was rolled back after its body returned: that result is not kept, even if the call
         * returns it.
         */
        void undone();
    }

    /** What an earlier attempt of the call ended with. */
    @FunctionalInterface
    interface EarlierAnswer {

        /**
         * Returns what the attempt returned.
         *
         * @throws Throwable what the attempt threw
         */
        @Nullable
        Object get() throws Throwable;
    }
}
