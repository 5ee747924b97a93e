package dev.resilience.spring.client;

import static dev.resilience.spring.client.RawServer.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import dev.resilience.event.RetryScheduled;
import dev.resilience.spring.RefusingPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.ReactorClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.http.client.autoconfigure.reactive.ClientHttpConnectorBuilderCustomizer;
import org.springframework.boot.http.client.reactive.ReactorClientHttpConnectorBuilder;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/** A POST without a key is repeated where it is certain that nothing was sent, and nowhere else. */
class UnsentRequestsTests {

    private final RawServer server = new RawServer();
    private final AtomicInteger retries = new AtomicInteger();

    @AfterEach
    void close() {
        server.close();
    }

    private void run(Clients client, ContextConsumer<AssertableApplicationContext> use) {
        client.application(
                        "resilience.http-client.backend.hosts=127.0.0.1,*.invalid",
                        "resilience.http-client.backend.retry=backend")
                .withBean(ResilienceListener.class, () -> this::count)
                .run(application -> {
                    assertThat(application).hasNotFailed();
                    use.accept(application);
                });
    }

    private void count(ResilienceEvent event) {
        if (event instanceof RetryScheduled) {
            retries.incrementAndGet();
        }
    }

    private int retriesOf(Clients client, ApplicationContext application, String url, @Nullable String body) {
        int before = retries.get();
        assertThatThrownBy(() -> client.send(application, HttpMethod.POST, url, body))
                .isNotNull();
        return retries.get() - before;
    }

    @ParameterizedTest
    @EnumSource
    void aPostThatFoundNoServerIsRepeated(Clients client) {
        run(client, application -> {
            assertThat(retriesOf(client, application, RefusingPort.url(), "charge"))
                    .isEqualTo(2);
            assertThat(retriesOf(client, application, RefusingPort.url(), null)).isEqualTo(2);
            assertThat(retriesOf(client, application, "http://nosuch.invalid/", "charge"))
                    .isEqualTo(2);
        });
    }

    @ParameterizedTest
    @EnumSource
    void aPostIsNotRepeatedWhereTheServerItWasSentOnToIsNotThere(Clients client) {
        run(client, application -> {
            for (String elsewhere : new String[] {RefusingPort.url(), "http://nosuch.invalid"}) {
                for (int status : new int[] {302, 303, 307}) {
                    for (String body : new String[] {"charge", null}) {
                        server.then(answer(status, "", "Location: " + elsewhere + "/charged"));
                        int before = server.requests().size();
                        try {
                            client.send(application, HttpMethod.POST, server.url(), body);
                        } catch (RuntimeException notThere) {
                            // unless the client returns the answer that redirects
                        }
                        assertThat(server.requests())
                                .as("%d to %s with body %s", status, elsewhere, body)
                                .hasSize(before + 1);
                    }
                }
            }
            assertThat(retriesOf(client, application, RefusingPort.url(), "charge"))
                    .isEqualTo(2);
        });
    }

    /** Jetty's, Reactor's and Apache's asynchronous clients do not say that it was the handshake. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "REST_CLIENT_ON_JETTY",
                "REST_CLIENT_ON_REACTOR",
                "WEB_CLIENT_ON_REACTOR",
                "WEB_CLIENT_ON_JETTY",
                "WEB_CLIENT_ON_APACHE"
            })
    void aPostWhoseTlsHandshakeFailsIsRepeated(Clients client) throws IOException {
        try (ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread hangingUp = new Thread(() -> {
                while (!listening.isClosed()) {
                    try (Socket socket = listening.accept()) {
                        socket.getInputStream().read(); // the first byte of the handshake
                    } catch (IOException end) {
                        return;
                    }
                }
            });
            hangingUp.start();
            run(
                    client,
                    application -> assertThat(retriesOf(
                                    client, application, "https://127.0.0.1:" + listening.getLocalPort(), "charge"))
                            .isEqualTo(2));
        }
    }

    /** Pools of one connection, which is taken. */
    @Configuration
    static class SmallPools {

        @Bean
        ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> apache() {
            return builder -> builder.withConnectionManagerCustomizer(pool -> pool.setMaxConnPerRoute(1))
                    .withDefaultRequestConfigCustomizer(
                            request -> request.setConnectionRequestTimeout(100, TimeUnit.MILLISECONDS));
        }

        private final HttpClient reactor = HttpClient.create(ConnectionProvider.builder("small")
                .maxConnections(1)
                .pendingAcquireTimeout(Duration.ofMillis(100))
                .build());

        @Bean
        ClientHttpRequestFactoryBuilderCustomizer<ReactorClientHttpRequestFactoryBuilder> reactor() {
            return builder -> builder.withHttpClientFactory(() -> reactor);
        }

        @Bean
        ClientHttpConnectorBuilderCustomizer<ReactorClientHttpConnectorBuilder> reactorOfWebClient() {
            return builder -> builder.withHttpClientFactory(() -> reactor);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"REST_CLIENT_ON_APACHE", "REST_CLIENT_ON_REACTOR", "WEB_CLIENT_ON_REACTOR"})
    void aPostThatGotNoConnectionFromThePoolIsRepeated(Clients client) {
        server.otherwise(server.hang());
        client.application(
                        "resilience.http-client.backend.hosts=127.0.0.1",
                        "resilience.http-client.backend.retry=backend")
                .withUserConfiguration(SmallPools.class)
                .withBean(ResilienceListener.class, () -> this::count)
                .run(application -> {
                    assertThat(application).hasNotFailed();
                    Thread first = new Thread(() -> client.send(application, HttpMethod.POST, server.url(), "hangs"));
                    first.setUncaughtExceptionHandler((thread, cut) -> {});
                    first.start();
                    await().until(() -> server.requests().size() == 1);

                    assertThat(retriesOf(client, application, server.url(), "charge"))
                            .isEqualTo(2);
                    assertThat(server.requests()).hasSize(1);
                    server.close();
                    first.join();
                });
    }
}
