package dev.resilience.spring.reactor;

import dev.resilience.context.CallContext;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The context of a call in Reactor's: its deadline, the attempt that it is part of and the idempotent call around it. A
 * protected method that returns a {@code Mono} or {@code Flux} finds it there, and puts its own there for what it calls.
 *
 * <pre>{@code
 * Mono.deferContextual(reactor -> {
 *     Deadline deadline = ReactiveCallContext.of(reactor).deadline();
 *     ...
 * })
 * }</pre>
 */
public final class ReactiveCallContext {

    /** Also that under which Micrometer's context propagation knows it. */
    public static final String KEY = "dev.resilience.call-context";

    private static final String REQUEST = "dev.resilience.request";

    private ReactiveCallContext() {}

    /** The call that Reactor's context holds, or else that of the current thread. */
    public static CallContext of(ContextView reactor) {
        return reactor.getOrDefault(KEY, null) instanceof CallContext call ? call : CallContext.current();
    }

    /** Reactor's context with another call in it. */
    public static Context in(ContextView reactor, CallContext call) {
        return Context.of(reactor).put(KEY, call);
    }

    /** The request of WebFlux, a {@code ServerWebExchange}, as long as a call has not left its request. */
    static @Nullable Object requestOf(ContextView reactor) {
        return reactor.getOrDefault(REQUEST, null);
    }

    /** Reactor's context of what handles a request. */
    public static Context in(Context reactor, CallContext call, Object exchange) {
        return in(reactor, call).put(REQUEST, exchange);
    }
}
