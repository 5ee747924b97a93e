package dev.resilience.spring.idempotency.http;

import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.idempotency.http.request.CurrentExchange;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.idempotency.json.ResultCodec;
import dev.resilience.spring.reactor.ReactiveRequest;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * {@link HandlerAnswers} of Spring WebFlux, for handler methods that return a {@link Mono}: the bytes that are kept are sent
 * in place of its element. Safe for use by many threads.
 */
public final class ReactiveAnswers extends HandlerAnswers implements HandlerResultHandler, Ordered {

    private final ObjectProvider<HandlerResultHandler> handlers;
    private final List<SentAnswerCodec> codecs = new CopyOnWriteArrayList<>();
    private final Map<Method, Boolean> kept = new ConcurrentHashMap<>(); // by handler method

    /** @param handlers all of them; the others write what this one does not keep */
    public ReactiveAnswers(ObjectProvider<HandlerResultHandler> handlers) {
        this.handlers = handlers;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 10;
    }

    /** Of methods that return a {@code Mono} itself: a replay is empty, which other types may not be. */
    @Override
    public @Nullable ResultCodec codec(Method method, Class<?> type, ResolvableType result, Json json) {
        ResultCodec codec = method.getReturnType() == Mono.class ? super.codec(method, type, result, json) : null;
        if (codec instanceof SentAnswerCodec ofMethod) {
            codecs.add(ofMethod);
        }
        return codec;
    }

    @Override
    @Nullable
    AnsweredRequest request(SentAnswerCodec codec, Invocation call) {
        ServerWebExchange exchange = CurrentExchange.of(call);
        return exchange != null
                        && exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE)
                                instanceof HandlerMethod handler
                        && codec.isOf(handler)
                ? new ReactiveAnswer(exchange, handler, codec.status().ofMethod(), this)
                : null;
    }

    /** Without a request there is nothing to write with. */
    @Override
    @Nullable
    SentAnswer withoutRequest(Object result, int status) {
        return null;
    }

    @Override
    public boolean supports(HandlerResult result) {
        return !codecs.isEmpty()
                && result.getReturnValue() instanceof Mono
                && result.getHandler() instanceof HandlerMethod handler
                && kept.computeIfAbsent(
                        handler.getMethod(), method -> codecs.stream().anyMatch(codec -> codec.isOf(handler)));
    }

    @Override
    public Mono<Void> handleResult(ServerWebExchange exchange, HandlerResult result) {
        if (!(result.getReturnValue() instanceof Mono<?> returned)) {
            return write(exchange, result);
        }
        return returned.contextWrite(reactor -> ReactiveRequest.in(reactor, exchange))
                .<Optional<Object>>map(Optional::of)
                .defaultIfEmpty(Optional.empty())
                .doOnError(failure -> ReactiveAnswer.end(exchange))
                .flatMap(value -> send(exchange, result, value.orElse(null)))
                .doOnCancel(() -> ReactiveAnswer.end(exchange));
    }

    private Mono<Void> send(ServerWebExchange exchange, HandlerResult returned, @Nullable Object value) {
        SentAnswer answer = ReactiveAnswer.take(exchange, value);
        return answer != null
                ? ReactiveAnswer.send(answer, exchange.getResponse())
                : write(
                        exchange,
                        new HandlerResult(
                                returned.getHandler(),
                                Mono.justOrEmpty(value),
                                returned.getReturnTypeSource(),
                                returned.getBindingContext()));
    }

    /** As Spring WebFlux does it. */
    Mono<Void> write(ServerWebExchange exchange, HandlerResult result) {
        return handlers.orderedStream()
                .filter(handler -> handler != this && handler.supports(result))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No HandlerResultHandler for " + result.getReturnValue()))
                .handleResult(exchange, result);
    }
}
