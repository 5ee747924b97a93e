package dev.resilience.retry;

import org.jspecify.annotations.Nullable;

/**
 * Knows the transaction in which a call was made: one that was open before the call's first attempt and goes on after its
 * last. What fails in it may make it fail as a whole; then no attempt inside it can succeed.
 *
 * <p>Asked on the thread of an attempt that has failed, after its own transactions have ended. Not asked of an
 * asynchronous attempt that ends on another thread than its caller's. One that throws is logged once for each policy and
 * taken for "no transaction". Implementations do not wait, and are safe for use by many threads.
 */
@FunctionalInterface
public interface TransactionState {

    /** For applications without transactions. */
    TransactionState NONE = failure -> null;

    /**
     * Whether the transaction of the current thread can no longer be committed.
     *
     * @param failure what the attempt threw; {@code null} if it returned something that asks for another one
     * @return why not, in words that follow a colon; {@code null} if there is no transaction, or nothing is wrong with it
     */
    @Nullable
    String whyLost(@Nullable Throwable failure);

    /** Whether the current thread has a transaction, in which a call on another thread would take no part. Does not throw. */
    default boolean isOpen() {
        return false;
    }
}
