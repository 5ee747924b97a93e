package dev.resilience.spring.client;

import static dev.resilience.spring.client.RawServer.answer;
import static dev.resilience.spring.client.RawServer.cut;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.client.Clients.Answer;
import dev.resilience.time.ManualTimeSource;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.support.BasicAuthenticationInterceptor;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.ExchangeFilterFunctions;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** The last good answer to a GET is served when all else has failed, if its server allows that. */
class StaleAnswersTests {

    private static final String STALE = "X-Resilience-Stale";

    private final RawServer server = new RawServer();
    private final ManualTimeSource time = new ManualTimeSource();
    private final StaleAnswers answers = new StaleAnswers(time);
    private Clients client = Clients.REST_CLIENT_ON_JDK;
    private AssertableApplicationContext application;

    @AfterEach
    void close() {
        server.close();
    }

    private void run(Clients of, ContextConsumer<AssertableApplicationContext> use, String... properties) {
        client = of;
        client.application(
                        "resilience.http-client.backend.hosts=127.0.0.1",
                        "resilience.http-client.backend.retry=backend",
                        "resilience.http-client.backend.stale-if-error=10m",
                        "resilience.retry.backend.max-attempts=2")
                .withPropertyValues(properties)
                .withBean(ManualTimeSource.class, () -> time)
                .run(started -> {
                    assertThat(started).hasNotFailed();
                    application = started;
                    use.accept(started);
                });
    }

    private Answer get(String path, String... headers) {
        return client.send(application, HttpMethod.GET, server.url() + path, null, headers);
    }

    /** Whether the answer to a request is served again after the server went down. */
    private boolean isServedAgain(RawServer.Reaction first, String... requestHeaders) {
        String path = "/" + server.requests().size();
        server.then(first);
        get(path, requestHeaders);
        server.then(answer(503, "down"), answer(503, "down"));
        Answer second = get(path, requestHeaders);
        assertThat(second.status()).isIn(200, 503);
        return second.status() == 200;
    }

    @ParameterizedTest
    @EnumSource(names = {"REST_CLIENT_ON_JDK", "REST_TEMPLATE", "WEB_CLIENT_ON_REACTOR", "WEB_CLIENT_ON_APACHE"})
    void theLastGoodAnswerIsServedWhenAllElseHasFailed(Clients of) {
        server.then(answer(200, "old"), answer(200, "1 EUR", "Content-Type: text/plain", "X-Rate: a"));
        run(of, context -> {
            get("/price");
            Answer fresh = get("/price");
            assertThat(fresh.headers().containsHeader(STALE)).isFalse();

            time.advance(Duration.ofSeconds(90));
            server.otherwise(answer(503, "down"));
            Answer stale = get("/price");
            assertThat(stale.status()).isEqualTo(200);
            assertThat(stale.body()).isEqualTo("1 EUR");
            assertThat(stale.headers().getFirst(STALE)).isEqualTo("90");
            assertThat(stale.headers().getFirst("X-Rate")).isEqualTo("a");
            assertThat(server.requests()).hasSize(4); // both attempts were made

            server.otherwise(cut());
            assertThat(get("/price").body()).isEqualTo("1 EUR");
            server.otherwise(answer(500, "broken"));
            assertThat(get("/price").status()).isEqualTo(200);
            assertThat(get("/other").status()).isEqualTo(500);

            server.otherwise(answer(404, "gone"));
            assertThat(get("/price").status()).isEqualTo(404);

            server.otherwise(answer(503, "down"));
            assertThat(client.send(context, HttpMethod.HEAD, server.url() + "/price", null)
                            .status())
                    .isEqualTo(503);
            assertThat(client.send(context, HttpMethod.POST, server.url() + "/price", "x")
                            .status())
                    .isEqualTo(503);

            time.advance(Duration.ofSeconds(511));
            assertThat(get("/price").body()).isEqualTo("down");
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"REST_CLIENT_ON_JDK", "WEB_CLIENT_ON_REACTOR"})
    void onlyWhatASharedCacheMayServeStaleIsServed(Clients of) {
        run(
                of,
                context -> {
                    assertThat(isServedAgain(answer(200, "a"))).isTrue();
                    assertThat(isServedAgain(answer(200, "a", "Cache-Control: public, max-age=60")))
                            .isTrue();
                    for (String control : new String[] {
                        "no-store",
                        "max-age=1, No-Store",
                        "private",
                        "must-revalidate",
                        "proxy-revalidate",
                        "no-cache",
                        "s-maxage=1"
                    }) {
                        assertThat(isServedAgain(answer(200, "a", "Cache-Control: " + control)))
                                .as(control)
                                .isFalse();
                    }
                    assertThat(isServedAgain(answer(200, "a", "Set-Cookie: id=1")))
                            .isFalse();
                    assertThat(isServedAgain(answer(200, "a", "Vary: *"))).isFalse();
                    assertThat(isServedAgain(answer(203, "a"))).isFalse();
                    assertThat(isServedAgain(answer(200, "data: a\n\n", "Content-Type: text/event-stream")))
                            .isFalse();
                    assertThat(isServedAgain(answer(200, "a"), "Authorization", "Bearer x"))
                            .isFalse();
                    assertThat(isServedAgain(answer(200, "a"), "Cookie", "id=1"))
                            .isFalse();
                    assertThat(isServedAgain(answer(200, "a"), "Cache-Control", "no-store"))
                            .isFalse();
                    assertThat(isServedAgain(answer(200, "a"), "Cache-Control", "No-Store"))
                            .isFalse();
                    assertThat(isServedAgain(answer(200, "x".repeat(1 << 20)))).isTrue();
                    assertThat(isServedAgain(answer(200, "x".repeat((1 << 20) + 1))))
                            .isFalse();
                },
                "spring.http.codecs.max-in-memory-size=4MB");
    }

    @ParameterizedTest
    @EnumSource(names = {"REST_CLIENT_ON_JDK", "WEB_CLIENT_ON_REACTOR"})
    void anAnswerThatVariesIsServedToTheSameRequestAlone(Clients of) {
        run(of, context -> {
            server.then(answer(200, "Hallo", "Vary: Accept-Language"));
            get("/", "Accept-Language", "de");
            server.otherwise(answer(503, "down"));
            assertThat(get("/", "Accept-Language", "en").status()).isEqualTo(503);
            assertThat(get("/").status()).isEqualTo(503);
            assertThat(get("/", "Accept-Language", "de").body()).isEqualTo("Hallo");
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"REST_CLIENT_ON_JDK", "WEB_CLIENT_ON_REACTOR"})
    void anAnswerIsForgottenWhenANewerOneForbidsItOrTheRequestChangesIt(Clients of) {
        run(of, context -> {
            get("/");
            server.then(answer(200, "mine", "Cache-Control: private"));
            get("/");
            server.then(answer(503, "down"), answer(503, "down"));
            assertThat(get("/").status()).isEqualTo(503);

            get("/");
            client.send(context, HttpMethod.HEAD, server.url() + "/", null);
            server.then(answer(404, "gone"));
            get("/");
            server.then(answer(503, "down"), answer(503, "down"));
            assertThat(get("/").status()).isEqualTo(200);

            client.send(context, HttpMethod.DELETE, server.url() + "/", null);
            server.then(answer(503, "down"), answer(503, "down"));
            assertThat(get("/").status()).isEqualTo(503);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"REST_CLIENT_ON_JDK", "WEB_CLIENT_ON_REACTOR"})
    void aRequestWithCredentialsOfAnInnerInterceptorIsServedNothing(Clients of) {
        run(of, context -> {
            get("/");
            server.otherwise(answer(503, "down"));
            if (of.isReactive()) {
                assertThat(context.getBean(WebClient.Builder.class)
                                .filter(ExchangeFilterFunctions.basicAuthentication("me", "secret"))
                                .build()
                                .get()
                                .uri(server.url() + "/")
                                .exchangeToMono(answer -> Mono.just(answer.statusCode()))
                                .block())
                        .isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
            } else {
                RestClient inner = context.getBean(RestClient.Builder.class)
                        .requestInterceptor(new BasicAuthenticationInterceptor("me", "secret"))
                        .build();
                assertThatThrownBy(() ->
                                inner.get().uri(server.url() + "/").retrieve().toBodilessEntity())
                        .isInstanceOf(HttpServerErrorException.class);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"REST_CLIENT_ON_JDK", "WEB_CLIENT_ON_REACTOR"})
    void aRefusalIsNoReasonToServeNothing(Clients of) {
        run(
                of,
                context -> {
                    get("/price");
                    ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
                    registry.circuitBreakers().get("backend").forceOpen();
                    assertThat(get("/price").headers().getFirst(STALE)).isEqualTo("0");
                    assertThatThrownBy(() -> get("/other")).isInstanceOf(CircuitOpenException.class);
                    assertThat(server.requests()).hasSize(1);

                    registry.reconfigure(HttpClient.class, "backend", Map.of("stale-if-error", "1s"));
                    time.advance(Duration.ofSeconds(2));
                    assertThatThrownBy(() -> get("/price")).isInstanceOf(CircuitOpenException.class);

                    registry.reset();
                    get("/price");
                    registry.reset();
                    registry.circuitBreakers().get("backend").forceOpen();
                    assertThatThrownBy(() -> get("/price")).isInstanceOf(CircuitOpenException.class);
                },
                "resilience.http-client.backend.circuit-breaker=backend",
                "resilience.circuit-breaker.backend.failure-threshold=5");
    }

    private void keep(int number, int size) {
        answers.keep(URI.create("http://h/" + number), new HttpHeaders(), new HttpHeaders(), new byte[size], null);
    }

    private StaleAnswers.@Nullable Stale find(int number) {
        return answers.find(URI.create("http://h/" + number), new HttpHeaders(), Duration.ofDays(1));
    }

    @Test
    void aThousandAnswersAreKeptThoseThatWereStoredLast() {
        for (int i = 0; i < 1_500; i++) {
            keep(i, 10);
            keep(0, 10);
        }
        assertThat(answers.size()).isEqualTo(1_000);
        assertThat(find(0)).isNotNull();
        assertThat(find(500)).isNull();
        assertThat(find(501)).isNotNull();
    }

    @Test
    void sixteenMegabytesAreKept() {
        for (int i = 0; i < 20; i++) {
            keep(i, 1 << 20);
        }
        assertThat(answers.size()).isEqualTo(16);
        assertThat(find(3)).isNull();
        assertThat(find(4)).isNotNull();

        keep(4, (1 << 20) + 1);
        assertThat(find(4)).isNull();
        keep(21, 1 << 20);
        assertThat(answers.size()).isEqualTo(16);
    }
}
