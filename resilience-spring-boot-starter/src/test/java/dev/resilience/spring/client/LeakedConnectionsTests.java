package dev.resilience.spring.client;

import static dev.resilience.spring.client.RawServer.answer;
import static dev.resilience.spring.client.RawServer.cut;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.JettyClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.resources.ConnectionProvider;

/** Calls that fail give back their connections: hundreds of them, of all kinds, leave a pool of four as it was. */
@Timeout(
        value = 60,
        threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // who waits for a connection that is lost may wait long
class LeakedConnectionsTests {

    /** Of each client for each failure that ends at once: together some three hundred, and ten thousand in a long run. */
    private static final int CALLS = "long".equals(System.getProperty("stress")) ? 360 : 12;

    private static final int POOL = 4;
    private static final int KEPT_BY_JDK = 5; // by its old client, http.maxConnections
    private static final String MORE_THAN_IS_READ = "x".repeat(300_000);

    private final RawServer server = new RawServer();

    @AfterEach
    void close() {
        server.close();
    }

    /** Pools of four, where a library has one; the JDK's clients have none. */
    @Configuration(proxyBeanMethods = false)
    static class SmallPools {

        @Bean
        ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> smallApachePool() {
            return builder -> builder.withConnectionManagerCustomizer(
                    pool -> pool.setMaxConnTotal(POOL).setMaxConnPerRoute(POOL));
        }

        @Bean
        ClientHttpRequestFactoryBuilderCustomizer<JettyClientHttpRequestFactoryBuilder> smallJettyPool() {
            return builder -> builder.withHttpClientCustomizer(client -> client.setMaxConnectionsPerDestination(POOL));
        }

        @Bean
        ReactorResourceFactory smallReactorPool() {
            ReactorResourceFactory resources = new ReactorResourceFactory();
            resources.setUseGlobalResources(false);
            resources.setConnectionProviderSupplier(() -> ConnectionProvider.create("small", POOL));
            return resources;
        }
    }

    private void run(Clients client, ContextConsumer<AssertableApplicationContext> use, String... properties) {
        client.application(properties)
                .withPropertyValues(
                        "resilience.http-client.backend.hosts=127.0.0.1",
                        "resilience.http-client.backend.retry=backend",
                        "resilience.retry.backend.max-attempts=2")
                .withUserConfiguration(SmallPools.class)
                .run(application -> {
                    assertThat(application).hasNotFailed();
                    use.accept(application);
                });
    }

    /** Half an answer of 503; the connection stays open until the client closes it. */
    private static RawServer.Reaction endless() {
        return (request, socket) -> {
            RawServer.write(socket, "HTTP/1.1 503 Down\r\nContent-Length: 1000\r\n\r\nhalf");
            return untilClosed().to(request, socket);
        };
    }

    private static RawServer.Reaction untilClosed() {
        return (request, socket) -> {
            socket.getInputStream().readAllBytes();
            return false;
        };
    }

    private void fail(Clients client, ApplicationContext application) {
        try {
            assertThat(client.send(application, HttpMethod.GET, server.url(), null)
                            .status())
                    .isEqualTo(503);
        } catch (RuntimeException cutOff) {
            // or its time was over
        }
    }

    /** Calls that wait until a time is over wait together. */
    private static void atOnce(int calls, Runnable call) {
        CompletableFuture<?>[] all = IntStream.range(0, calls)
                .mapToObj(i -> CompletableFuture.runAsync(call, each -> new Thread(each).start()))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(all).join();
    }

    private void aGoodCallWorksAtOnce(Clients client, ApplicationContext application) {
        server.otherwise(answer(200, "good"));
        assertThat(client.send(application, HttpMethod.POST, server.url(), "charge")
                        .body())
                .isEqualTo("good");
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(server.openConnections())
                        .isLessThanOrEqualTo(client == Clients.REST_CLIENT_ON_CONNECTIONS ? KEPT_BY_JDK + 1 : POOL));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WEB_CLIENT_ON_JETTY") // see Clients
    void failedAnswersGiveBackTheirConnections(Clients client) {
        run(client, application -> {
            for (RawServer.Reaction failure : List.of(answer(503, "down"), answer(503, MORE_THAN_IS_READ), cut())) {
                server.otherwise(failure);
                for (int i = 0; i < CALLS; i++) {
                    fail(client, application);
                }
                aGoodCallWorksAtOnce(client, application);
            }
        });
    }

    /**
     * Not of three clients, which do the same without an entry: the JDK's old one drains a body when it is closed, and leaves it
     * open if that takes too long; {@code WebClient} on the JDK's leaves open what is cancelled while its body is read, and on
     * Apache's each request that is cancelled.
     */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "REST_CLIENT_ON_CONNECTIONS",
                "REST_TEMPLATE",
                "HTTP_INTERFACE",
                "WEB_CLIENT_ON_JDK",
                "WEB_CLIENT_ON_APACHE"
            })
    void answersThatNeverEndGiveBackTheirConnections(Clients client) {
        run(
                client,
                application -> {
                    warmUp(client, application);
                    for (RawServer.Reaction failure : List.of(endless(), untilClosed())) {
                        server.otherwise(failure);
                        atOnce(3, () -> fail(client, application));
                        aGoodCallWorksAtOnce(client, application);
                    }
                },
                "spring.http.clients.read-timeout=200ms",
                "resilience.http-client.backend.time-limit=short",
                "resilience.time-limit.short.timeout=400ms");
    }

    /**
     * Jetty's client does not end a request whose thread is interrupted, nor {@code WebClient} on Apache's one that is cancelled,
     * with an entry or without.
     */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"REST_CLIENT_ON_JETTY", "REST_TEMPLATE", "HTTP_INTERFACE", "WEB_CLIENT_ON_APACHE"})
    void anAnswerThatComesWhenItsAttemptWasGivenUpIsClosed(Clients client) {
        CountDownLatch answers = new CountDownLatch(1);
        run(
                client,
                application -> {
                    warmUp(client, application);
                    server.otherwise((request, socket) ->
                            isOver(answers) && answer(200, "x".repeat(200_000)).to(request, socket));
                    atOnce(
                            POOL + 1,
                            () -> assertThatThrownBy(() -> client.send(application, HttpMethod.GET, server.url(), null))
                                    .isNotNull());
                    answers.countDown();
                    await().atMost(Duration.ofSeconds(10))
                            .ignoreExceptions()
                            .until(() -> client.send(application, HttpMethod.GET, server.url(), null)
                                            .status()
                                    == 200);
                    aGoodCallWorksAtOnce(client, application);
                },
                "resilience.http-client.backend.time-limit=short",
                "resilience.time-limit.short.timeout=400ms",
                "resilience.time-limit.short.thread=worker");
    }

    private static boolean isOver(CountDownLatch latch) {
        try {
            return latch.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException end) {
            return false;
        }
    }

    /** By a name that no entry is for: a time limit does not leave a client the time to be loaded. */
    private void warmUp(Clients client, ApplicationContext application) {
        client.send(application, HttpMethod.GET, "http://localhost:" + server.port(), null);
    }
}
