package dev.resilience.idempotency;

import dev.resilience.pipeline.Invocation;
import org.jspecify.annotations.Nullable;

/** What an idempotent method has of its own: where its key comes from and how its arguments and results are written. */
public interface IdempotentOperation {

    /**
     * The method's class, name and parameter types, and what else tells it from others: a key is unique within it.
     */
    String name();

    /**
     * The idempotency key of a call, asked for once, on the caller's thread.
     *
     * @return {@code null} if the call has none and needs none: it runs unprotected, and is counted as {@code no_key}
     * @throws dev.resilience.exception.IdempotencyKeyMissingException if it has none and needs one
     */
    @Nullable
    String key(Invocation invocation);

    /** Who is calling; empty where callers are not kept apart. */
    String callerScope();

    /** The arguments as bytes that are equal whenever the arguments are. */
    byte[] describe(@Nullable Object[] arguments);

    /** Whether a result is the call's last word; otherwise its body may be run again to get another one. */
    default boolean isFinal(@Nullable Object result) {
        return true;
    }

    /** Whether a result is an answer to keep; otherwise the key is free again, as after a failure. */
    default boolean keeps(@Nullable Object result) {
        return true;
    }

    /** A result as bytes. */
    byte[] write(@Nullable Object result);

    /** A result read back from its bytes. */
    @Nullable
    Object read(byte[] content);

    /**
     * A call with a key begins, on the caller's thread.
     *
     * @return the operation as this one call sees it, which writes and reads its result; {@code this} by default
     */
    default IdempotentOperation ofCall(Invocation invocation) {
        return this;
    }

    /**
     * A call begins, on the caller's thread.
     *
     * @return done right before an earlier call's answer is given, on the thread that has found it: a call that waits
     *     without a thread goes on on another one
     */
    default Runnable onReplay(Invocation invocation) {
        return () -> {};
    }

    /**
     * Whether it is a {@linkplain Idempotency#call call from code} and no method: it needs a key, is compared whatever the
     * policy says, and has nothing around its body but the engine.
     */
    default boolean isFromCode() {
        return false;
    }
}
