package dev.resilience.spring.idempotency.http;

import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.kind.ProtectedCall;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Where an application's calls find the request that they belong to. */
public enum Requests {
    NONE,

    /** Bound to the thread. */
    SERVLET,

    /** In the context of Reactor, which only the subscribers of publishers know. */
    WEBFLUX;

    /**
     * All values of a header; {@code null} if there is no request.
     *
     * @param call {@code null} where a publisher is assembled
     */
    @Nullable
    List<String> header(String name, @Nullable Invocation call) {
        return switch (this) {
            case NONE -> null;
            case SERVLET -> ServletExchange.requestHeader(name);
            case WEBFLUX -> ReactiveExchange.requestHeader(name, call);
        };
    }

    /**
     * The request of a call that begins on this thread; {@code null} if there is none.
     *
     * @param isHandler whether the call answers the request
     */
    @Nullable
    Exchange exchange(Invocation call, boolean isHandler) {
        return switch (this) {
            case NONE -> null;
            case SERVLET -> ServletExchange.current(isHandler);
            case WEBFLUX -> ReactiveExchange.of(call, isHandler);
        };
    }

    /**
     * The HTTP request that a call was made in. It may be over before the call has ended, because nothing waits for the call:
     * from then on its response says nothing, and what is set on it has no effect.
     */
    interface Exchange {

        /**
         * With which status the response is sent, as far as that is known by now.
         *
         * @param ofMethod the status that the handler method declares; {@code null} if it declares none
         */
        int status(@Nullable Integer ofMethod);

        /** A header of the response. */
        @Nullable
        String header(String name);

        /**
         * Sets on the response what an earlier call has left.
         *
         * @param status {@code null} for that which it has
         */
        void replay(@Nullable Integer status, Map<String, String> headers);

        /** The body that the handler itself has written; empty if it has written none. */
        default byte[] written() {
            return new byte[0];
        }

        /** Writes the body that an earlier call has written. */
        default void write(byte[] body) {}
    }

    /** Where the idempotency key of a call comes from. */
    public interface KeySource {

        /**
         * The key of a call; {@code null} if it has none and needs none.
         *
         * @throws dev.resilience.exception.IdempotencyKeyMissingException if it has none and needs one
         */
        @Nullable
        String key(Invocation invocation);

        /** The header of the request in which a publisher is assembled; its subscription may come on a thread that knows less. */
        default @Nullable Object headersAtAssembly() {
            return null;
        }
    }

    /**
     * The servlet request of a call. Servers use its objects again for other requests: it is this request as long as it has the
     * mark that was set when the call began, and the dispatch of then. It loses the mark as soon as it has an answer, which is
     * another one if it has timed out, or failed.
     */
    record ServletExchange(
            HttpServletRequest request, HttpServletResponse response, Object mark, DispatcherType dispatch)
            implements Exchange, DeferredResultProcessingInterceptor {

        private static final String MARK = ServletExchange.class.getName();

        /** That of the current thread, with its mark. Only a handler's thread may tell Spring to listen for another answer. */
        static @Nullable Exchange current(boolean isHandler) {
            if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
                    || attributes.getResponse() == null) {
                return null;
            }
            HttpServletRequest request = attributes.getRequest();
            Object mark = Objects.requireNonNullElseGet(request.getAttribute(MARK), Object::new);
            request.setAttribute(MARK, mark);
            ServletExchange exchange =
                    new ServletExchange(request, attributes.getResponse(), mark, request.getDispatcherType());
            if (isHandler && !request.isAsyncStarted()) {
                WebAsyncUtils.getAsyncManager(request).registerDeferredResultInterceptor(MARK, exchange);
            }
            return exchange;
        }

        @Override
        public <T> void postProcess(NativeWebRequest answered, DeferredResult<T> deferred, @Nullable Object answer) {
            request.removeAttribute(MARK);
        }

        /** All values of a header of the current thread's request; {@code null} if there is no request. */
        static @Nullable List<String> requestHeader(String name) {
            return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                    ? Collections.list(attributes.getRequest().getHeaders(name))
                    : null;
        }

        /** Spring MVC sets what the method declares when it has returned, in place of what it has set. */
        @Override
        public int status(@Nullable Integer ofMethod) {
            Integer set = ofMethod == null ? ifLive(response::getStatus) : ofMethod;
            return set == null ? HttpServletResponse.SC_OK : set;
        }

        @Override
        public @Nullable String header(String name) {
            return ifLive(
                    () -> name.equals(HttpHeaders.CONTENT_TYPE) ? response.getContentType() : response.getHeader(name));
        }

        @Override
        public void replay(@Nullable Integer status, Map<String, String> headers) {
            ifLive(() -> {
                if (status != null) {
                    response.setStatus(status);
                }
                headers.forEach(response::setHeader);
                return null;
            });
        }

        /** {@code null} if the request is over, or ends meanwhile: what its objects say or throw then means nothing. */
        private <T> @Nullable T ifLive(Supplier<@Nullable T> use) {
            if (!isLive()) {
                return null;
            }
            try {
                T made = use.get();
                return isLive() ? made : null;
            } catch (RuntimeException failed) {
                if (isLive()) {
                    throw failed;
                }
                return null;
            }
        }

        private boolean isLive() {
            try {
                return request.getAttribute(MARK) == mark && request.getDispatcherType() == dispatch;
            } catch (RuntimeException recycled) {
                return false; // as Tomcat says it
            }
        }
    }

    /** The request of WebFlux that a call was subscribed to in. It is over when the subscriber has got an answer or cancelled. */
    record ReactiveExchange(
            ServerWebExchange exchange,
            ProtectedCall call,
            @Nullable RecordedResponse recorded) implements Exchange {

        static @Nullable Exchange of(Invocation call, boolean isHandler) {
            ServerWebExchange exchange = exchange(call);
            return exchange == null
                    ? null
                    : new ReactiveExchange(
                            exchange, (ProtectedCall) call, isHandler ? RecordedResponse.in(call.arguments()) : null);
        }

        /** All values of a header of a call's request; {@code null} if there is no request. */
        static @Nullable List<String> requestHeader(String name, @Nullable Invocation call) {
            ServerWebExchange exchange = exchange(call);
            return exchange == null ? null : exchange.getRequest().getHeaders().getOrDefault(name, List.of());
        }

        private static @Nullable ServerWebExchange exchange(@Nullable Invocation call) {
            return call instanceof ProtectedCall subscribed
                            && subscribed.exchange() instanceof ServerWebExchange exchange
                    ? exchange
                    : null;
        }

        private @Nullable ServerHttpResponse response() {
            return call.isOver() ? null : exchange.getResponse();
        }

        /** WebFlux sets what the method declares when it has returned its publisher, so that the handler has the last word. */
        @Override
        public int status(@Nullable Integer ofMethod) {
            ServerHttpResponse response = response();
            HttpStatusCode set = response == null ? null : response.getStatusCode();
            return set != null && response() != null
                    ? set.value()
                    : Objects.requireNonNullElse(ofMethod, HttpStatus.OK.value());
        }

        @Override
        public @Nullable String header(String name) {
            ServerHttpResponse response = response();
            String set = response == null ? null : response.getHeaders().getFirst(name);
            return response() == null ? null : set;
        }

        @Override
        public void replay(@Nullable Integer status, Map<String, String> headers) {
            ServerHttpResponse response = response();
            if (response != null && !response.isCommitted()) {
                if (status != null) {
                    response.setRawStatusCode(status);
                }
                headers.forEach(response.getHeaders()::set);
            }
        }

        @Override
        public byte[] written() {
            return recorded == null ? Exchange.super.written() : recorded.written;
        }

        /** On a thread that may block, because it has asked the store. */
        @Override
        public void write(byte[] body) {
            if (recorded != null && response() != null) {
                ServerHttpResponse response = recorded.getDelegate();
                response.writeWith(Mono.just(response.bufferFactory().wrap(body)))
                        .block();
            }
        }
    }

    /**
     * The response that a handler gets, which keeps what the handler writes, and sends it when it is whole: nothing is sent of a
     * body that fails. Spring itself writes past it.
     */
    private static final class RecordedResponse extends ServerHttpResponseDecorator {

        private volatile byte[] written = new byte[0];

        RecordedResponse(ServerHttpResponse response) {
            super(response);
        }

        /** Takes the place of the response in the arguments; {@code null} if the handler has none. */
        static @Nullable RecordedResponse in(@Nullable Object[] arguments) {
            RecordedResponse recorded = null;
            for (int i = 0; i < arguments.length; i++) {
                ServerWebExchange exchange = arguments[i] instanceof ServerWebExchange given ? given : null;
                Object response = exchange == null ? arguments[i] : exchange.getResponse();
                if (response instanceof RecordedResponse known) { // subscribed to again
                    recorded = known;
                } else if (response instanceof ServerHttpResponse given) {
                    recorded = recorded == null ? new RecordedResponse(given) : recorded;
                    arguments[i] = exchange == null
                            ? recorded
                            : exchange.mutate().response(recorded).build();
                }
            }
            return recorded;
        }

        @Override
        public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
            return super.writeWith(DataBufferUtils.join(body).doOnNext(this::keep));
        }

        @Override
        public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
            return writeWith(Flux.from(body).concatMap(part -> part));
        }

        /** The first body; a second one is not sent. */
        private void keep(DataBuffer body) {
            if (isCommitted()) {
                return;
            }
            written = new byte[body.readableByteCount()];
            body.toByteBuffer(ByteBuffer.wrap(written));
        }
    }
}
