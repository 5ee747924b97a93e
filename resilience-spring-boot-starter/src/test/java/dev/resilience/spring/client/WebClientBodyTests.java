package dev.resilience.spring.client;

import static dev.resilience.spring.client.RawServer.answer;
import static dev.resilience.spring.client.RawServer.cut;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.spring.RefusingPort;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.log.CapturedLines;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseCookie;
import org.springframework.http.client.MultipartBodyBuilder;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.web.reactive.function.BodyInserter;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Bodies of requests and of failed answers through {@code WebClient}. */
class WebClientBodyTests {

    private final RawServer server = new RawServer();
    private final CapturedLines lines = CapturedLines.of(ResilienceExchangeFilter.class);

    @AfterEach
    void close() {
        lines.close();
        server.close();
    }

    private static WebClient client(AssertableApplicationContext application) {
        return application.getBean(Clients.OneOfEach.class).webClient;
    }

    private int post(
            AssertableApplicationContext application, String url, BodyInserter<?, ? super ClientHttpRequest> body) {
        return Objects.requireNonNull(client(application)
                .post()
                .uri(url)
                .header("Idempotency-Key", "\"order-1\"")
                .body(body)
                .exchangeToMono(
                        answer -> Mono.just(answer.statusCode().value()).delayUntil(code -> answer.releaseBody()))
                .block(Duration.ofSeconds(10)));
    }

    /** Bodies that are values. */
    enum Value {
        TEXT(() -> BodyInserters.fromValue("one,two")),
        JSON(() -> BodyInserters.fromValue(Map.of("order", "one,two"))),
        FORM(() -> BodyInserters.fromFormData("order", "one,two")),
        MONO(() -> BodyInserters.fromPublisher(Mono.fromCallable(() -> "one,two"), String.class));

        @SuppressWarnings("ImmutableEnumChecker") // a function that has no state
        private final Supplier<BodyInserter<?, ? super ClientHttpRequest>> body;

        Value(Supplier<BodyInserter<?, ? super ClientHttpRequest>> body) {
            this.body = body;
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachAttemptSendsAValueWhole(Value value) {
        for (Clients client : Clients.reactive()) {
            server.requests().clear();
            server.then(answer(503, "down"), cut());
            client.run(application -> {
                assertThat(post(application, server.url(), value.body.get())).isEqualTo(200);
                assertThat(server.requests()).hasSize(3);
                assertThat(server.requests().stream()
                                .map(RawServer.Request::body)
                                .distinct())
                        .singleElement()
                        .asString()
                        .contains("one");
                assertThat(lines.all()).isEmpty();
            });
        }
    }

    /** Bodies that are streams. */
    enum Stream {
        FLUX,
        MULTIPART,
        RESOURCE;

        BodyInserter<?, ? super ClientHttpRequest> body() {
            return switch (this) {
                case FLUX -> BodyInserters.fromPublisher(Flux.just("one", ",two"), String.class);
                case MULTIPART -> {
                    MultipartBodyBuilder parts = new MultipartBodyBuilder();
                    parts.part("order", "one,two");
                    yield BodyInserters.fromMultipartData(parts.build());
                }
                case RESOURCE ->
                    BodyInserters.fromResource(new ByteArrayResource("one,two".getBytes(StandardCharsets.UTF_8)));
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void aStreamIsNotSentTwiceAndTheLogSaysSoOnce(Stream stream) {
        for (Clients client : Clients.reactive()) {
            server.requests().clear();
            server.then(answer(503, "down"), cut(), answer(503, "down"));
            int before = lines.all().size();
            client.run(application -> {
                assertThat(post(application, server.url(), stream.body())).isEqualTo(503);
                assertThatThrownBy(() -> post(application, server.url(), stream.body()))
                        .isInstanceOf(WebClientRequestException.class);
                assertThat(post(application, server.url(), stream.body())).isEqualTo(503);

                assertThat(server.requests())
                        .hasSize(3)
                        .allMatch(request -> request.body().contains("one,two"));
                assertThat(lines.all()).hasSize(before + 1);
                assertThat(CapturedLines.event(lines.all().get(before))).isEqualTo("request_not_repeated");
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void aStreamOfWhichNothingWasSentIsRepeated(Stream stream) {
        // the others begin to read the body before they connect
        for (Clients client : List.of(Clients.WEB_CLIENT_ON_REACTOR, Clients.WEB_CLIENT_ON_JDK)) {
            client.run(application -> {
                String refusing = RefusingPort.url();
                assertThatThrownBy(() -> post(application, refusing, stream.body()))
                        .hasCauseInstanceOf(ConnectException.class);
                assertThat(application
                                .getBean(ResilienceRegistry.class)
                                .retry("backend")
                                .attempts())
                        .isEqualTo(2);
                assertThat(lines.all()).isEmpty();
            });
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = "WEB_CLIENT.*")
    void theLastAnswerReachesStatusHandlersWhole(Clients client) {
        server.otherwise(answer(503, "down", "X-Reason: maintenance", "Set-Cookie: session=1; Path=/"));
        client.run(application -> {
            assertThatThrownBy(() -> client(application)
                            .get()
                            .uri(server.url() + "/prices")
                            .retrieve()
                            .bodyToMono(String.class)
                            .block())
                    .isInstanceOfSatisfying(WebClientResponseException.class, failed -> {
                        assertThat(failed.getResponseBodyAsString()).isEqualTo("down");
                        assertThat(failed.getHeaders().getFirst("X-Reason")).isEqualTo("maintenance");
                        assertThat(failed).hasMessageContaining("from GET " + server.url() + "/prices");
                    });
            List<String> seen = new CopyOnWriteArrayList<>();
            client(application)
                    .get()
                    .uri(server.url())
                    .retrieve()
                    .onStatus(
                            status -> status.value() == 503,
                            answer -> answer.bodyToMono(String.class).map(body -> {
                                ResponseCookie cookie = answer.cookies().getFirst("session");
                                seen.add(body + " " + (cookie == null ? "none" : cookie.getValue()));
                                return new IllegalStateException(body);
                            }))
                    .toBodilessEntity()
                    .onErrorComplete(IllegalStateException.class)
                    .block();
            assertThat(seen).containsExactly("down 1");
            assertThat(server.requests()).hasSize(6);
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = "WEB_CLIENT.*")
    void aFailedAnswerThatIsTooLongForTheCodecsIsNoEmptyOne(Clients client) {
        server.otherwise(answer(404, "x".repeat(300_000)));
        client.run(application -> assertThatThrownBy(() -> client(application)
                        .get()
                        .uri(server.url())
                        .exchangeToMono(
                                answer -> answer.bodyToMono(String.class).defaultIfEmpty(""))
                        .block(Duration.ofSeconds(10)))
                .isInstanceOf(DataBufferLimitException.class));
    }

    @Test
    void aFormIsAValue() {
        LinkedMultiValueMap<String, String> form = new LinkedMultiValueMap<>();
        form.add("order", "1");
        server.then(answer(503, "down"));
        Clients.WEB_CLIENT_ON_REACTOR.run(application -> {
            client(application)
                    .put()
                    .uri(server.url())
                    .contentType(MediaType.APPLICATION_FORM_URLENCODED)
                    .bodyValue(form)
                    .retrieve()
                    .toBodilessEntity()
                    .block(Duration.ofSeconds(10));
            assertThat(server.requests()).extracting(RawServer.Request::body).containsExactly("order=1", "order=1");
            assertThat(server.requests()).extracting(RawServer.Request::method).containsOnly("PUT");
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = "WEB_CLIENT.*")
    void aMonoThatGivesItsValueOnceIsSentAgain(Clients client) {
        server.then(answer(503, "down"));
        client.run(application -> {
            AtomicInteger subscriptions = new AtomicInteger();
            Mono<String> once = Mono.defer(() -> subscriptions.getAndIncrement() == 0
                    ? Mono.just("one,two")
                    : Mono.error(new IllegalStateException("Only one subscriber is allowed")));

            assertThat(post(application, server.url(), BodyInserters.fromPublisher(once, String.class)))
                    .isEqualTo(200);
            assertThat(server.requests()).hasSize(2).allSatisfy(request -> {
                assertThat(request.body()).isEqualTo("one,two");
                assertThat(request.header("Content-Type")).isEqualTo("text/plain;charset=UTF-8");
                assertThat(request.header("Content-Length")).isEqualTo("7");
            });
        });
    }
}
