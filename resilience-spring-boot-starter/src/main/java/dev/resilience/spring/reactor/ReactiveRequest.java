package dev.resilience.spring.reactor;

import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** The request of WebFlux, a {@code ServerWebExchange}, in Reactor's context as long as a call has not left its request. */
public final class ReactiveRequest {

    private static final String KEY = "dev.resilience.request";

    private ReactiveRequest() {}

    static @Nullable Object of(ContextView reactor) {
        return reactor.getOrDefault(KEY, null);
    }

    /** Reactor's context of what handles a request. */
    public static Context in(Context reactor, Object exchange) {
        return reactor.put(KEY, exchange);
    }
}
