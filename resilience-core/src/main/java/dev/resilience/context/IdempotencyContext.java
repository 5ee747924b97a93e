package dev.resilience.context;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What an idempotent method can pass on, so that what it calls runs once, too: a key for a service that takes one, and a
 * fence for a resource that refuses writers of the past.
 *
 * <pre>{@code
 * @Idempotent(key = "#order.id")
 * Receipt pay(Order order) {
 *     String key = IdempotencyContext.current().downstreamKey();
 *     return provider.charge(order.amount(), key); // sent as the provider's own Idempotency-Key
 * }
 * }</pre>
 *
 * <p>Current for the threads on which a protected call goes on. Immutable and safe for use by many threads.
 */
public final class IdempotencyContext {

    private static final ThreadLocal<@Nullable IdempotencyContext> CURRENT = new ThreadLocal<>();

    /**
     * Whether any context was ever current. Spares every call the look at its thread in applications that have none.
     * Plain, for a thread that has one wrote this itself before.
     */
    private static boolean used;

    private final UnaryOperator<String> keys;
    private final long fence;

    /**
     * Not for applications.
     *
     * @param keys makes of a purpose the key for it
     */
    public IdempotencyContext(UnaryOperator<String> keys, long fence) {
        this.keys = keys;
        this.fence = fence;
    }

    /**
     * That of the idempotent call for which the current thread works, the innermost; {@code null} outside of all, and in
     * a call that runs unprotected, because it has no key and needs none, or its store is down and its policy fails open.
     */
    public static @Nullable IdempotencyContext current() {
        return used ? CURRENT.get() : null;
    }

    /**
     * Makes a context, or none, current for this thread. For adapters, which put back what was current before in a {@code
     * finally}.
     */
    public static void makeCurrent(@Nullable IdempotencyContext context) {
        if (context != null) {
            used = true;
        } else if (!used) {
            return; // there is none to replace, and no thread needs an entry for that
        }
        CURRENT.set(context);
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
