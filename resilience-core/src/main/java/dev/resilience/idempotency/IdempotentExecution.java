package dev.resilience.idempotency;

import dev.resilience.context.IdempotencyContext;
import dev.resilience.pipeline.Invocation;
import org.jspecify.annotations.Nullable;

/**
 * A call that holds its key, from the claim to the end of all that can decide about the record. Keeps the lease, and stores
 * the answer or frees the key. Safe for use by many threads.
 */
public interface IdempotentExecution {

    /** Makes the execution of a call whose record was claimed. */
    @FunctionalInterface
    interface Factory {

        IdempotentExecution of(ClaimedRecord record);
    }

    /** What the call passes on to other services. */
    IdempotencyContext context(Invocation call);

    /** The method is about to be called by this invocation. Returns what calls it. */
    default Invocation begins(Invocation invocation) {
        return invocation;
    }

    /**
     * The call returns this.
     *
     * @param isStorable whether the method returned it: what a fallback answers is not stored
     * @throws dev.resilience.exception.ResilienceException if it cannot be written in the caller's transaction
     */
    void callReturned(@Nullable Object result, boolean isStorable);

    /** The call throws this. */
    void callThrew(Throwable failure);

    /** The caller gave up before the method was run. */
    void notRun();
}
