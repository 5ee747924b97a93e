package dev.resilience.deadletter;

import dev.resilience.pipeline.Invocation;
import org.jspecify.annotations.Nullable;

/** Hears of calls that ran out of retries before their callers do. Safe for use by many threads. */
public interface ExhaustedCalls {

    /**
     * A call begins that may run out: its arguments are still what its caller gave. Called on its caller's thread. Does not
     * throw.
     *
     * @return what {@link #ranOut} wants to know of it; kept as long as the call lasts
     */
    @Nullable
    Object begins(Invocation call);

    /**
     * A call could have been tried again, but attempts, budget or time ran out, or the application ends. Called on a thread
     * that may be blocked: the caller's or, for an asynchronous call, one of the policy. Does not throw.
     *
     * @param begun what {@link #begins} returned
     * @param attempts how often it was tried, the last time possibly without calling the method, because its time was over
     * @param failure of the last attempt; {@code null} if that returned a result which asks for another one
     */
    void ranOut(Invocation call, @Nullable Object begun, int attempts, @Nullable Throwable failure);

    /**
     * A call has failed without running out. Called on the thread on which it ended. Does not throw or block.
     *
     * @param failure which an earlier call may have had too, if it is an object that is thrown again and again
     */
    void failedOtherwise(Throwable failure);
}
