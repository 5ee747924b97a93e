package dev.resilience.context;

import org.jspecify.annotations.Nullable;

/**
 * What belongs to a call and not to the thread that happens to run it: its deadline, the attempt that it is part of, and
 * the idempotent call around it. A step that goes on with a call on another thread takes it along.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param deadline when the call must be done, if that matters
 * @param attempt the retry around the call, if there is one
 * @param idempotency the idempotent call around the call, if there is one
 */
public record CallContext(
        @Nullable Deadline deadline,
        @Nullable Attempt attempt,
        @Nullable IdempotencyContext idempotency) {

    /** That of a call of which nothing is known. */
    public static final CallContext NONE = new CallContext(null, null);

    /** That of a call that comes from elsewhere. */
    public CallContext(@Nullable Deadline deadline, @Nullable Attempt attempt) {
        this(deadline, attempt, null);
    }

    /** The context of the call that the current thread works for. */
    public static CallContext current() {
        Deadline deadline = Deadline.current();
        Attempt attempt = Attempt.current();
        IdempotencyContext idempotency = IdempotencyContext.current();
        boolean isEmpty = deadline == null && attempt == null && idempotency == null;
        return isEmpty ? NONE : new CallContext(deadline, attempt, idempotency);
    }

    /**
     * Makes this the context of the current thread. For adapters, which put back what was current before in a {@code
     * finally}.
     */
    public void makeCurrent() {
        Deadline.makeCurrent(deadline);
        Attempt.makeCurrent(attempt);
        IdempotencyContext.makeCurrent(idempotency);
    }

    /** Runs an action in this context. */
    public void run(Runnable action) {
        CallContext before = current();
        makeCurrent();
        try {
            action.run();
        } finally {
            before.makeCurrent();
        }
    }
}
