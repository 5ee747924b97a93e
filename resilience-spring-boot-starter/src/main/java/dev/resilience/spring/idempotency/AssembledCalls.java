package dev.resilience.spring.idempotency;

import org.jspecify.annotations.Nullable;

/** Calls that are subscriptions to publishers, which may come on a thread that knows less than the one that assembles. */
@FunctionalInterface
public interface AssembledCalls {

    /** Asked where a publisher is assembled; goes with its calls. */
    @Nullable
    Object seenAtAssembly();
}
