package dev.resilience.spring.idempotency.http.request;

import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.kind.ProtectedCall;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;

/** The request of WebFlux that a call was subscribed to in. */
public final class CurrentExchange {

    private CurrentExchange() {}

    public static @Nullable ServerWebExchange of(@Nullable Invocation call) {
        return call instanceof ProtectedCall subscribed && subscribed.exchange() instanceof ServerWebExchange exchange
                ? exchange
                : null;
    }

    /** All values of a header; {@code null} if there is no request. */
    public static @Nullable List<String> header(String name, @Nullable Invocation call) {
        ServerWebExchange exchange = of(call);
        return exchange == null ? null : exchange.getRequest().getHeaders().getOrDefault(name, List.of());
    }

    /** As {@link ReplayHeader}. */
    public static Runnable replayHeader(Invocation call) {
        ServerWebExchange exchange = of(call);
        return exchange == null
                ? () -> {}
                : () -> {
                    ServerHttpResponse response = exchange.getResponse();
                    if (!response.isCommitted()) {
                        response.getHeaders().set(ReplayHeader.NAME, "true");
                    }
                };
    }
}
