package dev.resilience.spring.web;

import dev.resilience.pipeline.CallContext;
import java.util.List;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * As {@link CallContextServletFilter}, for WebFlux: puts the context of the call into Reactor's, from where Micrometer's
 * context propagation takes it to the threads ({@link CallContextAccessor}).
 */
public final class CallContextWebFilter implements WebFilter, Ordered {

    private final IncomingCalls calls;

    public CallContextWebFilter(IncomingCalls calls) {
        this.calls = calls;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 10;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        HttpHeaders headers = exchange.getRequest().getHeaders();
        CallContext context = calls.context(name -> headers.getOrDefault(name, List.of()));
        return chain.filter(exchange).contextWrite(reactor -> reactor.put(CallContextAccessor.KEY, context));
    }
}
