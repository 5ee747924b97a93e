package dev.resilience.spring.client;

import static dev.resilience.spring.client.RawServer.answer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpMethod;
import reactor.core.publisher.Mono;

/** All attempts of one logical POST or PATCH carry one key. */
class IdempotencyKeysTests {

    private static final String KEY = "Idempotency-Key";

    private final RawServer server = new RawServer();

    @AfterEach
    void close() {
        server.close();
    }

    private ApplicationContextRunner application(Clients client, String... properties) {
        return client.application(
                        "resilience.http-client.backend.hosts=127.0.0.1",
                        "resilience.http-client.backend.retry=backend",
                        "resilience.retry.backend.max-attempts=2",
                        "resilience.retry.around.max-attempts=3",
                        "resilience.retry.around.backoff.base-delay=0")
                .withPropertyValues(properties)
                .withBean(Orders.class, () -> new Orders(server.url()));
    }

    private List<@Nullable String> keys() {
        return server.headers(KEY);
    }

    /** A service that calls another one. */
    static class Orders {

        private final String url;

        Orders(String url) {
            this.url = url;
        }

        private void post(ApplicationContext application, String body) {
            application
                    .getBean(Clients.OneOfEach.class)
                    .restClient
                    .post()
                    .uri(url)
                    .body(body)
                    .retrieve()
                    .toBodilessEntity();
        }

        private CompletableFuture<?> later(ApplicationContext application, String body) {
            return application
                    .getBean(Clients.OneOfEach.class)
                    .webClient
                    .post()
                    .uri(url)
                    .bodyValue(body)
                    .retrieve()
                    .toBodilessEntity()
                    .toFuture();
        }

        @Retryable("around")
        public void orderTwo(ApplicationContext application) {
            post(application, "one");
            post(application, "one");
        }

        @Retryable("around")
        public CompletableFuture<?> orderTwoLater(ApplicationContext application) {
            return CompletableFuture.allOf(later(application, "one"), later(application, "two"));
        }

        @Retryable("around")
        public Mono<?> orderReactively(ApplicationContext application) {
            Mono<?> order = application
                    .getBean(Clients.OneOfEach.class)
                    .webClient
                    .post()
                    .uri(url)
                    .bodyValue("one")
                    .retrieve()
                    .toBodilessEntity();
            return order.then(order);
        }

        @Retryable("around")
        public void orderByAnother(ApplicationContext application, Orders other) {
            other.orderTwo(application);
            post(application, "one");
        }

        @Idempotent(key = "#id", fingerprint = "#id")
        @Retryable("around")
        public @Nullable String pay(ApplicationContext application, String id, Clients client) {
            IdempotencyContext context = IdempotencyContext.current();
            if (client.isReactive()) {
                later(application, id).join();
            } else {
                post(application, id);
            }
            return context == null ? null : context.downstreamKey();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"REST_CLIENT_ON_JDK", "WEB_CLIENT_ON_REACTOR"})
    void generatedKeysAreOneForEachLogicalCallAndOthersStay(Clients client) {
        server.then(answer(503, "down"), answer(200, "good"), answer(503, "down"));
        application(client, "resilience.http-client.backend.idempotency-key=generate")
                .run(application -> {
                    client.send(application, HttpMethod.POST, server.url(), "charge");
                    client.send(application, HttpMethod.PATCH, server.url(), "charge");
                    client.send(application, HttpMethod.POST, server.url(), "charge", KEY, "mine");
                    client.send(application, HttpMethod.PUT, server.url(), "charge");
                    client.send(application, HttpMethod.GET, server.url(), null);

                    assertThat(keys().subList(0, 4)).doesNotContainNull();
                    assertThat(keys().get(0)).isEqualTo(keys().get(1));
                    assertThat(keys().get(2)).isEqualTo(keys().get(3)).isNotEqualTo(keys().get(0));
                    assertThat(keys().subList(4, 7)).containsExactly("mine", null, null);
                });
    }

    @Test
    void aGeneratedKeyIsTheSameOverTheAttemptsOfAnAsynchronousRetryAround() {
        server.then(answer(503, ""), answer(503, ""), answer(503, ""), answer(503, ""));
        application(
                        Clients.WEB_CLIENT_ON_REACTOR,
                        "resilience.http-client.backend.idempotency-key=generate",
                        "resilience.retry.backend.max-attempts=1")
                .run(application -> {
                    application.getBean(Orders.class).orderTwoLater(application).join();

                    assertThat(server.requests()).hasSize(6);
                    assertThat(server.requests().stream()
                                    .map(request -> request.body() + request.header(KEY))
                                    .distinct())
                            .hasSize(2)
                            .noneMatch(sent -> sent.endsWith("null"));
                    assertThat(new HashSet<>(keys())).hasSize(2);
                });
    }

    @Test
    void aGeneratedKeyIsTheSameOverTheAttemptsOfARetryAround() {
        server.then(answer(200, ""), answer(503, ""), answer(503, ""));
        application(Clients.REST_CLIENT_ON_JDK, "resilience.http-client.backend.idempotency-key=generate")
                .run(application -> {
                    Orders orders = application.getBean(Orders.class);
                    orders.orderTwo(application);
                    String one = keys().get(0);
                    String two = keys().get(1);
                    assertThat(one).isNotNull().isNotEqualTo(two);
                    assertThat(keys()).containsExactly(one, two, two, one, two);

                    orders.orderTwo(application);
                    assertThat(new HashSet<>(keys())).hasSize(4);
                });
    }

    @Test
    void aGeneratedKeyIsTheSameOverTheAttemptsOfAReactiveRetryAround() {
        server.then(answer(200, ""), answer(503, ""), answer(503, ""));
        application(Clients.WEB_CLIENT_ON_REACTOR, "resilience.http-client.backend.idempotency-key=generate")
                .run(application -> {
                    application
                            .getBean(Orders.class)
                            .orderReactively(application)
                            .block();

                    String one = keys().get(0);
                    String two = keys().get(1);
                    assertThat(one).isNotNull().isNotEqualTo(two);
                    assertThat(keys()).containsExactly(one, two, two, one, two);
                });
    }

    @Test
    void aGeneratedKeyIsTheSameInRetriesInsideRetries() {
        server.then(answer(200, ""), answer(200, ""), answer(503, ""), answer(503, ""));
        application(Clients.REST_CLIENT_ON_JDK, "resilience.http-client.backend.idempotency-key=generate")
                .run(application -> {
                    Orders orders = application.getBean(Orders.class);
                    orders.orderByAnother(application, orders);

                    List<@Nullable String> three = keys().subList(0, 3);
                    assertThat(new HashSet<>(three)).hasSize(3);
                    assertThat(keys().get(3)).isEqualTo(keys().get(2));
                    assertThat(keys().subList(4, 7)).isEqualTo(three);
                });
    }

    @Test
    void keysCanBeGeneratedFromNowOn() {
        server.then(answer(503, ""), answer(503, ""), answer(503, ""), answer(503, ""));
        application(Clients.REST_CLIENT_ON_JDK).run(application -> {
            client().send(application, HttpMethod.POST, server.url(), "charge");
            assertThat(keys()).containsExactly((String) null);

            application
                    .getBean(ResilienceRegistry.class)
                    .reconfigure(HttpClient.class, "backend", Map.of("idempotency-key", "generate"));
            application.getBean(Orders.class).orderTwo(application);

            assertThat(new HashSet<>(keys().subList(1, 5))).hasSize(1).doesNotContainNull();
        });
    }

    private static Clients client() {
        return Clients.REST_CLIENT_ON_JDK;
    }

    @ParameterizedTest
    @EnumSource(names = {"REST_CLIENT_ON_APACHE", "WEB_CLIENT_ON_JDK"})
    void anIdempotentCallPassesItsDownstreamKeyOnAlsoAfterATakeOver(Clients client) {
        ManualTimeSource ofStore = new ManualTimeSource();
        MemoryIdempotencyStore store = new MemoryIdempotencyStore(ofStore);
        ApplicationContextRunner each = application(client)
                .withBean(TimeSource.class, () -> new ManualTimeSource())
                .withBean(MemoryIdempotencyStore.class, () -> store);
        server.then(answer(503, ""), server.hang());
        each.run(crashes -> {
            assertThat(crashes).hasNotFailed();
            CompletableFuture.runAsync(
                    () -> crashes.getBean(Orders.class).pay(crashes, "o-1", client), call -> new Thread(call).start());
            Awaitility.await().until(() -> server.requests().size() == 2);

            ofStore.advance(Duration.ofHours(1)); // and its lease is not renewed
            server.then(answer(503, ""), answer(503, ""));
            each.run(takesOver -> {
                Orders orders = takesOver.getBean(Orders.class);
                String key = orders.pay(takesOver, "o-1", client);
                assertThat(keys()).hasSize(5).containsOnly(key);

                assertThat(orders.pay(takesOver, "o-2", client)).isNotNull().isNotEqualTo(key);
                client.send(takesOver, HttpMethod.POST, server.url(), "no key of its own");
                assertThat(keys().get(6)).isNull();
            });
            server.close();
        });
    }
}
