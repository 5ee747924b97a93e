package dev.resilience.context;

import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What an idempotent method can pass on, so that what it calls runs once, too: a key for a service that takes one, and a
 * fence for a resource that refuses writers of the past.
 *
 * <pre>{@code
 * @Idempotent(key = "#order.id")
 * Receipt pay(Order order) {
 *     String key = IdempotencyContext.downstreamKeyOrNew();
 *     return provider.charge(order.amount(), key); // sent as the provider's own Idempotency-Key
 * }
 * }</pre>
 *
 * <p>Current for the threads on which a protected call goes on. Safe for use by many threads.
 */
public final class IdempotencyContext {

    private final UnaryOperator<String> keys;
    private final long fence;
    private final Object call;
    private volatile boolean answeredByFallback;
    private boolean begun; // with the lock
    private boolean withdrawn; // with the lock

    /**
     * Not for applications.
     *
     * @param keys makes of a purpose the key for it
     * @param call the idempotent call: one that it makes inside it may have fallbacks of its own
     */
    public IdempotencyContext(UnaryOperator<String> keys, long fence, Object call) {
        this.keys = keys;
        this.fence = fence;
        this.call = call;
    }

    /**
     * That of the idempotent call for which the current thread works, the innermost; {@code null} outside all, and in
     * a call that runs unprotected, because it has no key and needs none, or its store is down and its policy fails open.
     */
    public static @Nullable IdempotencyContext current() {
        return (IdempotencyContext) CallContext.ofThread()[CallContext.IDEMPOTENCY];
    }

    /**
     * The key that a call passes on, wherever it runs: the {@link #downstreamKey()} of the {@linkplain #current() current}
     * idempotent call; a new key, another one each time, where there is none, as in a unit test, in a call without a key, or
     * where idempotency is switched off.
     */
    public static String downstreamKeyOrNew() {
        IdempotencyContext current = current();
        return current == null ? UUID.randomUUID().toString() : current.downstreamKey();
    }

    /**
     * Makes a context, or none, current for this thread. For adapters, which put back what was current before in a {@code
     * finally}.
     */
    public static void makeCurrent(@Nullable IdempotencyContext context) {
        if (context != null && !Attempt.watchesBeginnings) {
            Attempt.watchesBeginnings = true;
        }
        CallContext.ofThread()[CallContext.IDEMPOTENCY] = context;
    }

    /** A thread that works for the call is about to call the method, unless the call was withdrawn before. */
    synchronized void methodBegins() {
        if (withdrawn) {
            throw new CancellationException();
        }
        begun = true;
    }

    /** Not for applications: the call was cancelled. Returns whether its method was not called, and never will be. */
    public synchronized boolean withdraw() {
        withdrawn = !begun;
        return withdrawn;
    }

    /** Not for applications: whether the call was cancelled before its method was called. */
    public synchronized boolean isWithdrawn() {
        return withdrawn;
    }

    /** Not for applications: says whether a fallback, and not the method, answers now for a call. */
    public void setAnsweredByFallback(Object answered, boolean byFallback) {
        if (answered == call) {
            answeredByFallback = byFallback;
        }
    }

    /** Not for applications: whether a fallback has answered for the idempotent call, so that its result is not stored. */
    public boolean isAnsweredByFallback() {
        return answeredByFallback;
    }

    /**
     * A key for another service, 64 hexadecimal digits: the same in every attempt and in every process that runs this
     * call, after a crash too, and another one for every other method, caller and idempotency key. It tells nothing of
     * them.
     */
    public String downstreamKey() {
        return downstreamKey("");
    }

    /**
     * As {@link #downstreamKey()}, for a method that calls more than one other.
     *
     * @param purpose what the key is for, such as {@code "refund"}: each has a key of its own
     */
    public String downstreamKey(String purpose) {
        return keys.apply(purpose);
    }

    /**
     * A number that grows with every claim of the key, so that of two owners who both believe in their right, the later
     * one has the larger number: write it with what you write, and refuse smaller ones (M. Kleppmann, "How to do
     * distributed locking", 2016).
     */
    public long fence() {
        return fence;
    }
}
