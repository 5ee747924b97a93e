package dev.resilience.pipeline;

import org.jspecify.annotations.Nullable;

/**
 * One call of a protected method. A retry proceeds more than once, possibly on several threads, one after the other.
 */
@FunctionalInterface
public interface Invocation {

    /**
     * Runs the method's body once.
     *
     * @return what the body returned; a {@link java.util.concurrent.CompletionStage} in asynchronous pipelines
     */
    @Nullable
    Object proceed() throws Throwable;

    /** Hands something to the code that runs the body, inside every layer. Lost if that does not ask for it. */
    default void attach(Object forTheBody) {}

    /**
     * Whether a part of the result has reached the caller already, as the first elements of a stream: another attempt, or a
     * fallback, would begin anew behind it. Asked when an attempt has ended: what that would still hand out is dropped.
     */
    default boolean hasEmitted() {
        return false;
    }

    /**
     * Has an action run once, just before the next part of the result reaches the caller, as the next element of a stream. It
     * is not run if nothing more comes, or if the result comes as a whole.
     */
    default void beforeNextElement(Runnable action) {}

    /** Whether its caller has a transaction that is not bound to the thread, as the subscriber of a publisher may have. */
    default boolean isInTransaction() {
        return false;
    }

    /**
     * Whether the body may be run again after it has failed so, for all that is known of it: not where it may have had an
     * effect that would come twice. The policy of a retry decides after that.
     */
    default boolean mayRepeat(Throwable failure) {
        return true;
    }

    /** The arguments of the call; not to be changed. */
    default @Nullable Object[] arguments() {
        return new Object[0];
    }
}
