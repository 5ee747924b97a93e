package dev.resilience.deadletter;

import dev.resilience.pipeline.Invocation;
import org.jspecify.annotations.Nullable;

/** Hears of calls that ran out of retries before their callers do. Safe for use by many threads. */
@FunctionalInterface
public interface ExhaustedCalls {

    /**
     * A call could have been tried again, but attempts, budget or time ran out. Called on a thread that may be blocked: the
     * caller's or, for an asynchronous call, one of the policy. Does not throw.
     *
     * @param attempts how often the method was called
     * @param failure of the last attempt; {@code null} if that returned a result which asks for another one
     */
    void ranOut(Invocation call, int attempts, @Nullable Throwable failure);
}
