package dev.resilience.spring.client;

import static dev.resilience.spring.client.RawServer.answer;
import static dev.resilience.spring.client.RawServer.cut;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.spring.RefusingPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;

/** Interceptors of the application around ours and behind it, and answers that are out of the ordinary. */
class OtherInterceptorsTests {

    private final RawServer server = new RawServer();
    private final AtomicInteger calls = new AtomicInteger();

    @AfterEach
    void close() {
        server.close();
    }

    /** Fails the first call in its own way. */
    private ClientHttpRequestInterceptor failing(Exception failure) {
        return (request, body, execution) -> {
            if (calls.getAndIncrement() == 0) {
                if (failure instanceof IOException io) {
                    throw io;
                }
                throw (RuntimeException) failure;
            }
            return execution.execute(request, body);
        };
    }

    private @Nullable String get(List<ClientHttpRequestInterceptor> all) {
        return RestClient.builder()
                .requestInterceptors(these -> these.addAll(all))
                .build()
                .get()
                .uri(server.url())
                .retrieve()
                .body(String.class);
    }

    @Test
    void anInterceptorBehindOursRunsWithEachAttempt() {
        Clients.REST_CLIENT_ON_JDK.run(application -> {
            ResilienceHttpInterceptor ours = application.getBean(ResilienceHttpInterceptor.class);

            assertThat(get(List.of(ours, failing(new IOException("Connection reset")))))
                    .isEqualTo("good");
            assertThat(calls).hasValue(2);
            assertThat(server.headers("X-Attempt-Number")).containsExactly("2");
        });
    }

    @Test
    void anErrorOfAnInterceptorBehindOursIsTheCallersAndLeavesNothingBehind() {
        Clients.REST_CLIENT_ON_JDK.run(application -> {
            ResilienceHttpInterceptor ours = application.getBean(ResilienceHttpInterceptor.class);
            IllegalStateException bug = new IllegalStateException("bug");

            assertThatThrownBy(() -> get(List.of(ours, failing(bug)))).isSameAs(bug);
            assertThat(calls).hasValue(1);
            assertThat(get(List.of(ours))).isEqualTo("good");
        });
    }

    @Test
    void anInterceptorBeforeOursSeesOneCall() {
        Clients.REST_CLIENT_ON_JDK.run(application -> {
            ResilienceHttpInterceptor ours = application.getBean(ResilienceHttpInterceptor.class);
            server.then(answer(503, "down"), cut());
            calls.set(1);

            assertThat(get(List.of(failing(new UncheckedIOException(new IOException())), ours)))
                    .isEqualTo("good");
            assertThat(calls).hasValue(2);
            assertThat(server.requests()).hasSize(3);
        });
    }

    @Test
    void anInterceptorOfTheApplicationsCustomizerRunsOnceForEachCall() {
        Clients.REST_CLIENT_ON_JDK
                .application(
                        "resilience.http-client.backend.hosts=127.0.0.1",
                        "resilience.http-client.backend.retry=backend")
                .withBean(
                        RestClientCustomizer.class,
                        () -> builder -> builder.requestInterceptor((request, body, rest) -> {
                            calls.incrementAndGet();
                            return rest.execute(request, body);
                        }))
                .run(application -> {
                    server.then(answer(503, "down"));

                    assertThat(Clients.REST_CLIENT_ON_JDK
                                    .send(application, HttpMethod.GET, server.url(), null)
                                    .status())
                            .isEqualTo(200);
                    assertThat(calls).hasValue(1);
                    assertThat(server.requests()).hasSize(2);
                });
    }

    @Test
    void aPostIsNotRepeatedBecauseAnInnerInterceptorCouldNotReachItsOwnServer() {
        Clients.REST_CLIENT_ON_APACHE.run(application -> {
            RestClient.Builder builder = application.getBean(RestClient.Builder.class);
            RestClient audit = application.getBean(Clients.OneOfEach.class).restClient;
            RestClient client = builder.requestInterceptor((request, body, rest) -> {
                        ClientHttpResponse answer = rest.execute(request, body);
                        audit.get().uri(RefusingPort.url()).retrieve().toBodilessEntity();
                        return answer;
                    })
                    .build();

            assertThatThrownBy(() -> client.post().uri(server.url()).retrieve().toBodilessEntity())
                    .isInstanceOf(ResourceAccessException.class);
            assertThat(server.requests()).hasSize(1);
        });
    }

    @Test
    void aPostIsNotRepeatedBecauseAnInnerFilterCouldNotReachItsOwnServer() {
        Clients.WEB_CLIENT_ON_REACTOR.run(application -> {
            WebClient.Builder builder = application.getBean(WebClient.Builder.class);
            WebClient audit = application.getBean(Clients.OneOfEach.class).webClient;
            WebClient client = builder.filter((request, rest) -> rest.exchange(request)
                            .delayUntil(answer -> audit.get()
                                    .uri(RefusingPort.url())
                                    .retrieve()
                                    .toBodilessEntity()))
                    .build();

            assertThatThrownBy(() -> client.post()
                            .uri(server.url())
                            .retrieve()
                            .toBodilessEntity()
                            .block())
                    .isInstanceOf(WebClientRequestException.class);
            assertThat(server.requests()).hasSize(1);
        });
    }

    /**
     * For Apache's clients and the JDK's connections some of it is an answer, or one that makes no sense; Jetty's has an assertion
     * against it.
     */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = ".*_ON_(JDK|REACTOR)")
    void anAnswerThatIsCutInItsFirstLineIsAskedForAgain(Clients client) {
        client.run(application -> {
            for (String beginning : new String[] {"HTTP/1.", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Le"}) {
                int before = server.requests().size();
                server.then((request, socket) -> {
                    RawServer.write(socket, beginning);
                    return false;
                });
                assertThat(client.send(application, HttpMethod.GET, server.url(), null)
                                .body())
                        .isEqualTo("good");
                assertThat(server.requests().size()).as(beginning).isEqualTo(before + 2);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerOutOfTheOrdinaryIsRead(Clients client) {
        RawServer.Reaction chunked = (request, socket) -> {
            RawServer.write(
                    socket, "HTTP/1.1 503 Down\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ndow\r\n1\r\nn\r\n0\r\n\r\n");
            return true;
        };
        client.run(application -> {
            server.then(answer(429, "slower", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT"));
            assertThat(client.send(application, HttpMethod.GET, server.url(), null)
                            .body())
                    .isEqualTo("good");

            server.then(answer(503, "down", "Retry-After: -5"));
            assertThat(client.send(application, HttpMethod.GET, server.url(), null)
                            .body())
                    .isEqualTo("good");

            server.then(answer(503, "down"));
            assertThat(client.send(application, HttpMethod.HEAD, server.url(), null)
                            .status())
                    .isEqualTo(200);

            server.then(chunked, chunked, chunked);
            Clients.Answer last = client.send(application, HttpMethod.GET, server.url(), null);
            assertThat(last.status()).isEqualTo(503);
            assertThat(last.body()).isEqualTo("down");
            assertThat(server.requests()).hasSize(9);
        });
    }

    @Test
    void aConnectionThatTheServerEndsIsNoProofThatNothingWasSent() {
        assertThat(HttpClients.nothingWasSent(new IOException("/127.0.0.1:80: GOAWAY received")))
                .isFalse();
        assertThat(HttpClients.nothingWasSent(new IOException("HTTP/1.1 header parser received no bytes")))
                .isFalse();
    }
}
