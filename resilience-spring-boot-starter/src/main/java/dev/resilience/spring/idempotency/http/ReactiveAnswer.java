package dev.resilience.spring.idempotency.http;

import dev.resilience.spring.idempotency.http.HandlerAnswers.AnsweredRequest;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.server.NotAcceptableStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import reactor.core.publisher.Mono;

/**
 * The answer to a request of Spring WebFlux. The request may be over before its call has ended, because the client has gone
 * or the handler has timed out: the answer is kept nevertheless, as it would be sent to a client that accepts anything.
 *
 * @param ofMethod the status of results that have none of their own, if the handler sets none
 */
record ReactiveAnswer(ServerWebExchange exchange, HandlerMethod handler, int ofMethod, ReactiveAnswers answers)
        implements AnsweredRequest {

    private static final String PENDING = ReactiveAnswer.class.getName() + ".pending";
    private static final String OVER = ReactiveAnswer.class.getName() + ".over";

    /** Of a result, or of an earlier call if that is {@code null}. */
    private record Pending(@Nullable Object result, SentAnswer answer) {}

    @Override
    public int status() {
        HttpStatusCode set = isOver() ? null : exchange.getResponse().getStatusCode();
        return set == null || isOver() ? ofMethod : set.value();
    }

    @Override
    public @Nullable SentAnswer answer(Object result) {
        SentAnswer answer = isOver()
                ? null
                : bytes(exchange, status(), exchange.getResponse().getHeaders().getContentType(), result);
        if (answer != null && !isOver()) {
            exchange.getAttributes().put(PENDING, new Pending(result, answer));
            return answer;
        }
        return bytes(new AcceptingAnything(exchange), status(), null, result);
    }

    @Override
    public void replay(@Nullable SentAnswer answer) {
        if (answer != null) {
            exchange.getAttributes().put(PENDING, new Pending(null, answer));
        }
    }

    /** What is to be sent in place of an element; {@code null} if that is to be sent itself. It is over with it. */
    static @Nullable SentAnswer take(ServerWebExchange exchange, @Nullable Object element) {
        end(exchange);
        return exchange.getAttributes().remove(PENDING) instanceof Pending pending && pending.result == element
                ? pending.answer
                : null;
    }

    static Mono<Void> send(SentAnswer answer, ServerHttpResponse response) {
        response.setStatusCode(HttpStatusCode.valueOf(answer.status()));
        response.getHeaders().putAll(answer.headers());
        if (answer.body().length == 0) {
            return response.setComplete();
        }
        response.getHeaders().setContentLength(answer.body().length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(answer.body())));
    }

    /** Nothing is to be asked of the request from now on: it has got another answer, or its parts are of another request. */
    static void end(ServerWebExchange exchange) {
        exchange.getAttributes().put(OVER, true);
    }

    private boolean isOver() {
        return exchange.getAttributes().containsKey(OVER);
    }

    /**
     * @param type of the content, if it is set already
     * @return {@code null} if the request wants none of what the result can be written as
     */
    private @Nullable SentAnswer bytes(ServerWebExchange to, int status, @Nullable MediaType type, Object result) {
        BufferedReactiveResponse buffer = new BufferedReactiveResponse(status, type);
        HandlerResult returned = new HandlerResult(handler, Mono.just(result), handler.getReturnType());
        try {
            return Mono.defer(() -> answers.write(new Buffered(to, buffer), returned))
                    .then(Mono.fromSupplier(buffer::answer))
                    .onErrorResume(failure -> isUnsuitable(failure) || isOver(), failure -> Mono.empty())
                    .toFuture()
                    .join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    private static boolean isUnsuitable(Throwable failure) {
        return failure instanceof NotAcceptableStatusException || failure instanceof HttpMessageNotWritableException;
    }

    /** Writes to another response, and always the whole answer. */
    private static final class Buffered extends ServerWebExchangeDecorator {

        private final BufferedReactiveResponse response;

        Buffered(ServerWebExchange exchange, BufferedReactiveResponse response) {
            super(exchange);
            this.response = response;
        }

        @Override
        public ServerHttpResponse getResponse() {
            return response;
        }

        @Override
        public boolean checkNotModified(@Nullable String tag, Instant lastModified) {
            return false;
        }
    }

    /** Knows of the request no more than which handler it has found. */
    private static final class AcceptingAnything extends ServerWebExchangeDecorator {

        AcceptingAnything(ServerWebExchange exchange) {
            super(exchange);
        }

        @Override
        public ServerHttpRequest getRequest() {
            return new ServerHttpRequestDecorator(super.getRequest()) {
                @Override
                public HttpHeaders getHeaders() {
                    return new HttpHeaders();
                }

                @Override
                public MultiValueMap<String, String> getQueryParams() {
                    return new LinkedMultiValueMap<>();
                }
            };
        }
    }
}
