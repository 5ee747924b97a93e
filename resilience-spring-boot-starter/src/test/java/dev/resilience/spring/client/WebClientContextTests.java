package dev.resilience.spring.client;

import static dev.resilience.spring.client.RawServer.answer;
import static dev.resilience.spring.client.RawServer.cut;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.spring.reactor.ReactiveCallContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What goes along with requests of {@code WebClient}, on whatever thread they are sent, and how streams come. */
class WebClientContextTests {

    private final RawServer server = new RawServer();

    @AfterEach
    void close() {
        server.close();
    }

    private void run(Clients client, ContextConsumer<AssertableApplicationContext> use, String... properties) {
        client.application(
                        "resilience.http-client.backend.hosts=127.0.0.1",
                        "resilience.http-client.backend.retry=backend",
                        "resilience.retry.outer.backoff.base-delay=0",
                        "resilience.retry.outer.budget=none",
                        "resilience.retry.outer.max-attempts=2")
                .withPropertyValues(properties)
                .withBean(Shop.class, () -> new Shop(server.url()))
                .run(application -> {
                    assertThat(application).hasNotFailed();
                    application.getBean(Shop.class).use(application.getBean(Clients.OneOfEach.class).webClient);
                    use.accept(application);
                });
    }

    /** Sends where operators have changed the thread. */
    public static class Shop {

        private final String url;
        private final Queue<String> keys = new ConcurrentLinkedQueue<>();
        private WebClient client = WebClient.create();

        Shop(String url) {
            this.url = url;
        }

        public void use(WebClient protectedClient) {
            client = protectedClient;
        }

        @Idempotent(key = "#order")
        public Mono<String> pay(String order) {
            return Mono.deferContextual(reactor -> {
                IdempotencyContext call = ReactiveCallContext.of(reactor).idempotency();
                keys.add(Objects.requireNonNull(call).downstreamKey());
                return post();
            });
        }

        @Retryable("outer")
        public Mono<String> retried() {
            return post();
        }

        public Mono<String> post() {
            return Mono.delay(Duration.ofMillis(1))
                    .publishOn(Schedulers.single())
                    .flatMap(done -> client.post()
                            .uri(url)
                            .bodyValue("charge")
                            .retrieve()
                            .bodyToMono(String.class));
        }

        public List<String> keys() {
            return List.copyOf(keys);
        }
    }

    private List<String> sent(String header) {
        return new ArrayList<>(
                server.headers(header).stream().map(String::valueOf).toList());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = "WEB_CLIENT_ON_([AR].*|JDK)") // see Clients
    void theKeyOfAnIdempotentCallGoesAlongWithEachAttempt(Clients client) {
        server.then(answer(503, "down"), cut());
        run(client, application -> {
            Shop shop = application.getBean(Shop.class);
            assertThat(shop.pay("order-1").block(Duration.ofSeconds(20))).isEqualTo("good");

            assertThat(sent("Idempotency-Key"))
                    .hasSize(3)
                    .containsOnly(shop.keys().get(0));
            assertThat(sent("X-Attempt-Number")).containsExactly("1", "2", "3");
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = "WEB_CLIENT.*")
    void theAttemptsOfAnOuterRetryHaveTheSameKey(Clients client) {
        server.then(IntStream.range(0, 5).mapToObj(i -> answer(503, "down")).toArray(RawServer.Reaction[]::new));
        run(
                client,
                application -> {
                    assertThat(application.getBean(Shop.class).retried().block(Duration.ofSeconds(20)))
                            .isEqualTo("good");
                    assertThat(sent("Idempotency-Key").stream().distinct())
                            .hasSize(1)
                            .doesNotContain("null");
                    assertThat(sent("X-Attempt-Number")).containsExactly("1", "2", "3", "2", "2", "3");
                },
                "resilience.http-client.backend.idempotency-key=generate");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = "WEB_CLIENT.*")
    void eachSubscriptionIsACallOfItsOwn(Clients client) {
        server.then(answer(503, "down"), answer(200, "good"), answer(503, "down"));
        run(
                client,
                application -> {
                    Mono<String> post = application.getBean(Shop.class).post();
                    post.block(Duration.ofSeconds(20));
                    post.block(Duration.ofSeconds(20));
                    List<String> keys = sent("Idempotency-Key");
                    assertThat(keys).hasSize(4);
                    assertThat(keys.get(0)).isEqualTo(keys.get(1)).isNotEqualTo(keys.get(2));
                    assertThat(keys.get(2)).isEqualTo(keys.get(3));
                },
                "resilience.http-client.backend.idempotency-key=generate");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = "WEB_CLIENT_ON_[JR].*")
    void aRequestEndsAtTheDeadlineAndTellsItLessTheMargin(Clients client) {
        run(client, application -> {
            Shop shop = application.getBean(Shop.class);
            shop.post().block(Duration.ofSeconds(20)); // the first takes long
            server.otherwise(server.hang());
            server.requests().clear();
            long start = System.nanoTime();
            CallContext call = new CallContext(Deadline.in(Duration.ofMillis(900)), null);
            assertThatThrownBy(() -> shop.post()
                            .contextWrite(reactor -> ReactiveCallContext.in(reactor, call))
                            .block(Duration.ofSeconds(20)))
                    .isInstanceOf(TimeLimitExceededException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(800), Duration.ofSeconds(8));
            assertThat(sent("X-Request-Deadline-Ms"))
                    .singleElement()
                    .satisfies(left -> assertThat(Long.parseLong(left)).isBetween(0L, 800L));
        });
    }

    @Test
    void theFilterIsThereOnceHoweverOftenABuilderIsCustomized() {
        server.then(answer(503, "down"), answer(503, "down"), answer(503, "down"));
        run(Clients.WEB_CLIENT_ON_REACTOR, application -> {
            WebClient.Builder builder = application.getBean(WebClient.Builder.class);
            application.getBeansOfType(WebClientCustomizer.class).values().forEach(each -> each.customize(builder));
            WebClient.Builder again = builder.build().mutate();
            application.getBeansOfType(WebClientCustomizer.class).values().forEach(each -> each.customize(again));
            assertThat(again.build()
                            .get()
                            .uri(server.url())
                            .exchangeToMono(
                                    got -> Mono.just(got.statusCode().value()).delayUntil(code -> got.releaseBody()))
                            .block(Duration.ofSeconds(20)))
                    .isEqualTo(503);
            assertThat(sent("X-Attempt-Number")).containsExactly("1", "2", "3");
        });
    }

    /** Another service, as an interface. */
    interface Backend {

        @PostExchange
        Mono<String> charge();

        @HttpExchange(method = "GET", accept = "text/event-stream")
        Flux<ServerSentEvent<String>> prices();
    }

    private Backend backend(AssertableApplicationContext application) {
        WebClient client = application.getBean(Clients.OneOfEach.class).webClient;
        return HttpServiceProxyFactory.builderFor(WebClientAdapter.create(
                        client.mutate().baseUrl(server.url()).build()))
                .build()
                .createClient(Backend.class);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = "WEB_CLIENT_ON_([AR].*|JDK)") // see Clients
    void anHttpInterfaceSendsOneKeyOverAllAttempts(Clients client) {
        server.then(answer(503, "down"), cut());
        run(
                client,
                application -> {
                    assertThat(backend(application).charge().block(Duration.ofSeconds(20)))
                            .isEqualTo("good");
                    assertThat(sent("Idempotency-Key")).hasSize(3).doesNotContain("null");
                    assertThat(sent("Idempotency-Key").stream().distinct()).hasSize(1);
                },
                "resilience.http-client.backend.idempotency-key=generate");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = "WEB_CLIENT_ON_([AR].*|JDK)") // see Clients
    void aStreamComesAsItIsSentAndIsNotRepeatedWhenItBreaks(Clients client) {
        CountDownLatch seen = new CountDownLatch(1);
        server.then(answer(503, "down"), (request, socket) -> {
            RawServer.write(
                    socket,
                    "HTTP/1.1 200 Status\r\nContent-Type: " + MediaType.TEXT_EVENT_STREAM_VALUE
                            + "\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n");
            try {
                return seen.await(20, TimeUnit.SECONDS) && cut().to(request, socket);
            } catch (InterruptedException end) {
                return false;
            }
        });
        run(
                client,
                application -> {
                    List<String> events = new ArrayList<>();
                    assertThatThrownBy(() -> backend(application)
                                    .prices()
                                    .doOnNext(event -> {
                                        events.add(String.valueOf(event.data()));
                                        seen.countDown();
                                    })
                                    .blockLast(Duration.ofSeconds(20)))
                            .isNotNull();
                    assertThat(events).containsExactly("1");
                    assertThat(seen.getCount()).isZero();
                    assertThat(server.requests()).hasSize(2);
                },
                "resilience.http-client.backend.stale-if-error=1m");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = "WEB_CLIENT_ON_([AR].*|JDK)") // see Clients
    void aPostWithoutAKeyThatIsCutWhenItWasSentIsSentOnce(Clients client) {
        server.otherwise((request, socket) -> server.requests().size() % 2 == 0
                ? cut().to(request, socket)
                : answer(200, "good").to(request, socket));
        run(client, application -> {
            WebClient sender = application.getBean(Clients.OneOfEach.class).webClient;
            for (int i = 0; i < 1_000; i++) {
                sender.post()
                        .uri(server.url())
                        .bodyValue("charge")
                        .retrieve()
                        .toBodilessEntity()
                        .onErrorComplete()
                        .block(Duration.ofSeconds(20));
            }
            assertThat(server.requests()).hasSize(1_000);
            assertThat(sent("X-Attempt-Number")).containsOnly("1");
        });
    }
}
