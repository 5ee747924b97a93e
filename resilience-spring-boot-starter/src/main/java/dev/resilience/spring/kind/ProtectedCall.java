package dev.resilience.spring.kind;

import dev.resilience.pipeline.Invocation;
import org.jspecify.annotations.Nullable;

/** One call of a protected method, for a layer that answers in place of the method. */
public interface ProtectedCall extends Invocation {

    /** The bean behind the proxy. */
    @Nullable
    Object target();

    /** The name of the bean, if its proxy tells; it may be the name of none. */
    @Nullable
    String bean();

    /** Where the caller of a suspending function goes on; {@code null} for any other method. */
    @Nullable
    Object continuation();

    /** The request of WebFlux that a publisher was subscribed to in, a {@code ServerWebExchange}, if that is known. */
    @Nullable
    Object exchange();

    /** Whether the subscriber has an answer or has cancelled, so that the call says nothing about its request any more. */
    boolean isOver();

    /** The header of the request in which the publisher was assembled, for the call's idempotency key. */
    @Nullable
    Object headersAtAssembly();

    /** What the method, or one that answers in its place, has returned; what is in it, where stages are waited for. */
    @Nullable
    Object result(@Nullable Object returned) throws Throwable;
}
