package dev.resilience.spring.actuate;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** Lets a request to the endpoint have an object as its {@code policy}, with WebFlux: see {@link ResilienceWebEndpointExtension#readable}. */
public final class PolicyBodyFilter implements WebFilter {

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequestDecorator request = new ServerHttpRequestDecorator(exchange.getRequest()) {
            @Override
            public Flux<DataBuffer> getBody() {
                return Flux.defer(() -> isForTheEndpoint(exchange) ? readable(exchange) : super.getBody());
            }
        };
        return chain.filter(exchange.mutate().request(request).build());
    }

    /** Known once the handler is found, which is after the filters. */
    private static boolean isForTheEndpoint(ServerWebExchange exchange) {
        return ResilienceWebEndpointExtension.isHandledBy(
                exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE));
    }

    private static Flux<DataBuffer> readable(ServerWebExchange exchange) {
        DataBufferFactory buffers = exchange.getResponse().bufferFactory();
        return DataBufferUtils.join(exchange.getRequest().getBody(), ResilienceWebEndpointExtension.MAX_BODY)
                .contextWrite(
                        ofReader -> Context.empty()) // by which the reader would release the buffers a second time
                .map(joined -> {
                    byte[] body = new byte[joined.readableByteCount()];
                    joined.read(body);
                    DataBufferUtils.release(joined);
                    return buffers.wrap(ResilienceWebEndpointExtension.readable(body));
                })
                .flux();
    }
}
