package dev.resilience.spring.kind;

import dev.resilience.pipeline.Invocation;
import org.jspecify.annotations.Nullable;

/** One call of a protected method, for a layer that answers in place of the method. */
public interface ProtectedCall extends Invocation {

    /** The bean behind the proxy. */
    @Nullable
    Object target();

    /** Where the caller of a suspending function goes on; {@code null} for any other method. */
    @Nullable
    Object continuation();

    /** The request of WebFlux that a publisher was subscribed to in, a {@code ServerWebExchange}, if that is known. */
    @Nullable
    Object exchange();

    /** What was seen where the publisher was assembled, for the source of the call's idempotency key. */
    @Nullable
    Object seenAtAssembly();

    /** What the method, or one that answers in its place, has returned; what is in it, where stages are waited for. */
    @Nullable
    Object result(@Nullable Object returned) throws Throwable;
}
