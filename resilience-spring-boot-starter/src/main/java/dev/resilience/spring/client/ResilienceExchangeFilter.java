package dev.resilience.spring.client;

import dev.resilience.context.CallContext;
import dev.resilience.log.LogLine;
import dev.resilience.spring.reactor.ReactiveCallContext;
import dev.resilience.spring.reactor.ResilienceOperator;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpRequestDecorator;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.ExchangeStrategies;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Protects the requests of {@code WebClient} by the entries of {@code resilience.http-client}, as {@link
 * ResilienceHttpInterceptor} does those of blocking clients. Spring Boot's builder has it; another client gets this bean by one
 * line:
 *
 * <pre>{@code
 * WebClient.builder().filter(resilienceExchangeFilter)
 * }</pre>
 *
 * <p>A body that is a stream, such as a {@code Flux}, can be read once: when its sending has begun the request is not repeated.
 * The body of a failed answer is read as the client's codecs read one into memory; one that is too long for them cannot be
 * read by the caller either. Safe for use by many threads.
 */
public final class ResilienceExchangeFilter implements ExchangeFilterFunction {

    private static final Logger log = LoggerFactory.getLogger(ResilienceExchangeFilter.class);
    private static final LogLine NOT_REPEATED = LogLine.warn("request_not_repeated");

    private final HttpClients clients;
    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    public ResilienceExchangeFilter(HttpClients clients) {
        this.clients = clients;
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        HostPattern host = HostPattern.hostOf(request.url());
        HttpClient client = host == null ? null : clients.find(host);
        return Mono.deferContextual(reactor -> {
            CallContext call = ReactiveCallContext.of(reactor);
            String key = HttpClients.key(request.method(), request.url(), request.headers(), new byte[0], client, call);
            return host == null || client == null
                    ? next.exchange(attempt(request, key, call).build())
                    : new Attempts(client, request, key, next).within(host);
        });
    }

    private ClientRequest.Builder attempt(ClientRequest request, @Nullable String key, CallContext call) {
        return ClientRequest.from(request).headers(headers -> clients.addTo(headers, key, call));
    }

    private static Flux<DataBuffer> body(byte[] bytes) {
        return Flux.defer(() -> Flux.just(DefaultDataBufferFactory.sharedInstance.wrap(bytes)));
    }

    /** The attempts of one logical request. */
    private final class Attempts {

        private final HttpClient client;
        private final ClientRequest request;
        private final @Nullable String key;
        private final ExchangeFunction next;
        private volatile boolean isKept;
        private volatile int redirects; // before the attempt began
        private volatile boolean bodyHasBegun; // one that can be read once
        private volatile byte @Nullable [] sent; // a body that is one value, which may be given once
        private volatile @Nullable MediaType type; // of that
        private int number; // of the attempt that runs; this and the next ones with the lock
        private @Nullable ClientResponse answer; // which the caller has, if the call has ended with it
        private @Nullable Throwable failure; // that the answer is

        Attempts(HttpClient client, ClientRequest request, @Nullable String key, ExchangeFunction next) {
            this.client = client;
            this.request = request;
            this.key = key;
            this.next = next;
            this.isKept =
                    client.policy().staleIfError() != null && StaleAnswers.areFor(request.method(), request.headers());
        }

        Mono<ClientResponse> within(HostPattern host) {
            return Mono.deferContextual(reactor -> exchange(next(), ReactiveCallContext.of(reactor)))
                    .transformDeferred(ResilienceOperator.of(client.pipeline(host), this::mayRepeat))
                    .onErrorResume(this::answerTo)
                    .doOnCancel(this::next);
        }

        private Mono<ClientResponse> exchange(int attempt, CallContext call) {
            redirects = clients.redirects.get();
            return next.exchange(attempt(request, key, call)
                            .body((output, context) -> {
                                isKept &= output.getCookies().isEmpty()
                                        && StaleAnswers.areFor(
                                                request.method(), output.getHeaders()); // filters add to them
                                Body body = new Body(output);
                                byte[] again = sent;
                                return again == null ? request.body().insert(body, context) : body.writeAgain(again);
                            })
                            .build())
                    .flatMap(open -> open.statusCode().isError()
                            ? failed(attempt, open)
                            : hold(
                                    attempt,
                                    call.deadline() == null ? kept(open) : untilDeadline(kept(open), call),
                                    null));
        }

        private ClientResponse untilDeadline(ClientResponse open, CallContext call) {
            return open.mutate()
                    .body(body -> Flux.from(ResilienceOperator.<DataBuffer>of(client.untilDeadline)
                                    .apply(body))
                            .contextWrite(reactor -> ReactiveCallContext.in(reactor, call)))
                    .build();
        }

        /** Closes what the attempt before has left open, or the caller has not read. Returns the number of the next one. */
        private synchronized int next() {
            release(answer);
            answer = null;
            failure = null;
            return ++number;
        }

        /** An attempt that has timed out may get its answer while another one runs, or when the caller has gone. */
        private synchronized Mono<ClientResponse> hold(int attempt, ClientResponse got, @Nullable Throwable failed) {
            if (attempt != number) {
                release(got);
                return Mono.empty();
            }
            answer = got;
            failure = failed;
            return failed == null ? Mono.just(got) : Mono.error(failed);
        }

        /** Not to its end, which may never come. One that was read stays as it is. */
        private static void release(@Nullable ClientResponse open) {
            if (open != null) {
                open.releaseBody().doOnSubscribe(Subscription::cancel).subscribe(done -> {}, read -> {});
            }
        }

        /** Reads the body, so that no connection is held; if that fails, so does the caller's reading. */
        private Mono<ClientResponse> failed(int attempt, ClientResponse open) {
            return open.bodyToMono(byte[].class)
                    .defaultIfEmpty(new byte[0])
                    .map(ResilienceExchangeFilter::body)
                    .onErrorResume(unreadable -> Mono.just(Flux.error(unreadable)))
                    .flatMap(body -> {
                        ClientResponse read =
                                open.mutate().body(consumed -> body).build();
                        return read.createException().flatMap(exception -> hold(attempt, read, exception));
                    });
        }

        /** Copies what its caller reads of the answer, and keeps it if that is all. */
        private ClientResponse kept(ClientResponse open) {
            HttpHeaders headers = open.headers().asHttpHeaders();
            if (!client.staleAnswers.keepsOrForgets(
                    request.method(), request.url(), isKept, open.statusCode(), headers)) {
                return open;
            }
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            return open.mutate()
                    .body(body -> body.doOnNext(part -> copy(part, read))
                            .doOnComplete(() -> client.staleAnswers.keep(
                                    request.url(), request.headers(), headers, read.toByteArray(), open.strategies())))
                    .build();
        }

        private static void copy(DataBuffer part, ByteArrayOutputStream read) {
            if (read.size() <= StaleAnswers.MAX_BODY) { // one byte more is enough to know that it is too long
                read.writeBytes(bytes(part));
            }
        }

        private static byte[] bytes(DataBuffer part) {
            byte[] bytes = new byte[part.readableByteCount()];
            part.toByteBuffer(ByteBuffer.wrap(bytes));
            return bytes;
        }

        private boolean mayRepeat(Throwable failed) {
            Throwable ofExchange = failed instanceof WebClientRequestException own
                            && own.getUri().equals(request.url())
                    ? own
                    : null;
            boolean isAllowed = clients.mayRepeat(request.method(), request.headers(), key, redirects, ofExchange);
            if (isAllowed && bodyHasBegun && logged.add(client.name())) {
                NOT_REPEATED
                        .in(log, client.name())
                        .log(
                                "A request of http-client '{}' has failed and is not repeated, because its body is a "
                                        + "stream, which can be read once. Logged once.",
                                client.name());
            }
            return isAllowed && !bodyHasBegun;
        }

        /** What the caller gets in place of a failure, if it gets an answer. */
        private synchronized Mono<ClientResponse> answerTo(Throwable failed) {
            Mono<ClientResponse> last =
                    failed == failure && answer != null ? Mono.just(marked(answer, failed)) : Mono.error(failed);
            next(); // what was read can be read again
            StaleAnswers.Stale stale = isKept ? clients.stale(client, request.url(), request.headers(), failed) : null;
            if (stale != null) {
                ExchangeStrategies codecs =
                        stale.codecs() instanceof ExchangeStrategies known ? known : ExchangeStrategies.withDefaults();
                return Mono.just(ClientResponse.create(HttpStatus.OK, codecs)
                        .headers(all -> all.addAll(stale.headers()))
                        .body(body(stale.body()))
                        .build());
            }
            return last;
        }

        /** With headers of its own: those of Jetty's client cannot be changed. */
        private ClientResponse marked(ClientResponse read, Throwable failed) {
            return ClientResponse.create(read.statusCode(), read.strategies())
                    .headers(all -> all.addAll(read.headers().asHttpHeaders()))
                    .headers(all -> clients.noteIfExhausted(failed, all))
                    .cookies(all -> all.addAll(read.cookies()))
                    .request(read.request())
                    .body(read.bodyToFlux(DataBuffer.class))
                    .build();
        }

        /** Notes when the sending of a body begins that is more than one value, and keeps one that is. */
        private final class Body extends ClientHttpRequestDecorator {

            Body(ClientHttpRequest output) {
                super(output);
            }

            @Override
            public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
                return super.writeWith(body instanceof Mono<?> ? Mono.from(body).doOnNext(this::keep) : noted(body));
            }

            private void keep(DataBuffer body) {
                if (client.policy().retry() != null) {
                    sent = bytes(body);
                    type = getHeaders().getContentType();
                }
            }

            Mono<Void> writeAgain(byte[] body) {
                getHeaders().setContentType(type);
                getHeaders().setContentLength(body.length);
                return super.writeWith(Mono.fromSupplier(() -> DefaultDataBufferFactory.sharedInstance.wrap(body)));
            }

            @Override
            public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
                return super.writeAndFlushWith(noted(body));
            }

            private <T> Publisher<T> noted(Publisher<T> body) {
                return Flux.from(body).doOnSubscribe(begins -> bodyHasBegun = true);
            }
        }
    }
}
