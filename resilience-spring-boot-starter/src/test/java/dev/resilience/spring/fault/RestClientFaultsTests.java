package dev.resilience.spring.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.spring.Applications;
import dev.resilience.spring.RefusingPort;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.time.ManualTimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/** Calls by {@link RestClient} to a real server. */
class RestClientFaultsTests {

    private static final String INTERNAL_ERROR = HttpServerErrorException.InternalServerError.class.getName();
    private static final String NOT_IMPLEMENTED = HttpServerErrorException.NotImplemented.class.getName();

    private Backend backend;

    @BeforeEach
    void start() throws IOException {
        backend = new Backend();
    }

    @AfterEach
    void stop() {
        backend.close();
    }

    @Nested
    class Statuses {

        @ParameterizedTest
        @ValueSource(ints = {408, 429, 502, 503, 504})
        void thatTellOfAPassingTroubleAreRetried(int status) {
            backend.answering(status, status);
            runner(backend.url()).run(context -> {
                assertThat(context.getBean(Client.class).get()).isEqualTo("status 200");
                assertThat(context.getBean(Client.class).attempts()).isEqualTo(3);
            });
        }

        @ParameterizedTest
        @ValueSource(ints = {400, 401, 403, 404, 409, 422})
        void thatBlameTheCallerAreNot(int status) {
            backend.answering(status);
            runner(backend.url()).run(context -> {
                Client client = context.getBean(Client.class);
                assertThatThrownBy(client::get).isInstanceOf(HttpClientErrorException.class);
                assertThat(client.attempts()).isEqualTo(1);
            });
        }

        @ParameterizedTest
        @ValueSource(ints = {500, 501, 505})
        void thatSayNothingAboutASecondCallAreNot(int status) {
            backend.answering(status);
            runner(backend.url()).run(context -> {
                Client client = context.getBean(Client.class);
                assertThatThrownBy(client::get).isInstanceOf(HttpServerErrorException.class);
                assertThat(client.attempts()).isEqualTo(1);
            });
        }

        @Test
        void includeInternalErrorsWhereTheMethodIsIdempotent() {
            backend.answering(500, 500);
            runner(backend.url()).run(context -> {
                assertThat(context.getBean(Client.class).post("key")).isEqualTo("status 200");
                assertThat(context.getBean(Client.class).attempts()).isEqualTo(3);
            });
        }

        @Test
        void includeInternalErrorsWhereThePolicyListsThem() {
            backend.answering(500, 500);
            runner(backend.url())
                    .withPropertyValues("resilience.retry.default.retry-on-status=500")
                    .run(context -> {
                        assertThat(context.getBean(Client.class).get()).isEqualTo("status 200");
                        assertThat(context.getBean(Client.class).attempts()).isEqualTo(3);
                    });
        }

        @Test
        @ExtendWith(OutputCaptureExtension.class)
        void ofWhichNothingIsKnownAreLoggedOnceWithThePropertyThatWouldRetryThem(CapturedOutput output) {
            backend.answering(500, 500, 501);
            runner(backend.url()).run(context -> {
                Client client = context.getBean(Client.class);
                for (int i = 0; i < 3; i++) {
                    assertThatThrownBy(client::get).isInstanceOf(HttpServerErrorException.class);
                }

                assertThat(output)
                        .containsOnlyOnce(INTERNAL_ERROR + " is not retried")
                        .containsOnlyOnce(NOT_IMPLEMENTED + " is not retried")
                        .contains("add it to resilience.retry.default.retry-on;");
            });
        }

        @Test
        @ExtendWith(OutputCaptureExtension.class)
        void thatTheLogSpokeOfAreRetriedOnceThePropertyIsSet(CapturedOutput output) {
            backend.answering(500, 500);
            runner(backend.url())
                    .withPropertyValues("resilience.retry.default.retry-on=" + INTERNAL_ERROR)
                    .run(context -> {
                        assertThat(context.getBean(Client.class).get()).isEqualTo("status 200");
                        assertThat(output).doesNotContain("is not retried");
                    });
        }

        @Test
        @ExtendWith(OutputCaptureExtension.class)
        void ofWhichSomethingIsKnownAreNotLogged(CapturedOutput output) {
            backend.answering(404);
            runner(backend.url()).run(context -> {
                assertThatThrownBy(context.getBean(Client.class)::get).isInstanceOf(HttpClientErrorException.class);
                assertThat(output).doesNotContain("is not retried");
            });
        }

        @Test
        void areThoseThatThePolicyLists() {
            backend.answering(404, 503);
            runner(backend.url())
                    .withPropertyValues("resilience.retry.default.retry-on-status=404")
                    .run(context -> {
                        Client client = context.getBean(Client.class);
                        assertThatThrownBy(client::get).isInstanceOf(HttpServerErrorException.ServiceUnavailable.class);
                        assertThat(client.attempts()).isEqualTo(2);
                    });
        }

        @ParameterizedTest
        @CsvSource({"503, FAILURE", "500, FAILURE", "404, IGNORED"})
        void countForACircuitBreakerUnlessTheyBlameTheCaller(int status, CircuitBreakerOutcome outcome) {
            backend.answering(status);
            runner(backend.url()).run(context -> {
                assertThatThrownBy(context.getBean(Client.class)::guarded).isInstanceOf(RestClientException.class);
                assertThat(context.getBean(ResilienceRegistry.class)
                                .circuitBreakers()
                                .get("default")
                                .calls()
                                .get(outcome))
                        .isEqualTo(1);
            });
        }
    }

    @Nested
    class RetryAfter {

        @ParameterizedTest
        @CsvSource({
            "17, 17",
            "'Thu, 01 Jan 2026 00:00:45 GMT', 45",
            "0, 1", // the backoff is longer
            "soon, 1",
            "-5, 1"
        })
        void isHonouredWhereItIsValid(String header, int seconds) {
            backend.answeringWith(429, "Retry-After", header);
            runner(backend.url()).run(context -> {
                assertThat(context.getBean(Client.class).get()).isEqualTo("status 200");
                assertThat(context.getBean(ManualTimeSource.class).elapsed()).isEqualTo(Duration.ofSeconds(seconds));
            });
        }

        @Test
        void endsTheRetryingWhereItIsTooLong() {
            backend.answeringWith(503, "Retry-After", "61");
            runner(backend.url()).run(context -> {
                Client client = context.getBean(Client.class);
                assertThatThrownBy(client::get).isInstanceOf(HttpServerErrorException.ServiceUnavailable.class);
                assertThat(client.attempts()).isEqualTo(1);
                assertThat(context.getBean(ManualTimeSource.class).elapsed()).isZero();
            });
        }

        @Test
        void isIgnoredWhereThePolicySaysSo() {
            backend.answeringWith(503, "Retry-After", "17");
            runner(backend.url())
                    .withPropertyValues("resilience.retry.default.honor-retry-after=false")
                    .run(context -> {
                        context.getBean(Client.class).get();
                        assertThat(context.getBean(ManualTimeSource.class).elapsed())
                                .isEqualTo(Duration.ofSeconds(1));
                    });
        }
    }

    @Nested
    class Connections {

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void thatAreRefusedAreTriedAgain(boolean jdk) throws IOException {
            runner(RefusingPort.url(), factory(jdk)).run(context -> {
                Client client = context.getBean(Client.class);
                assertThatThrownBy(client::get).isInstanceOf(ResourceAccessException.class);
                assertThat(client.attempts()).isEqualTo(3);
            });
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void thatGiveNoAnswerInTimeAreTriedAgain(boolean jdk) {
            backend.hanging();
            runner(backend.url(), factory(jdk)).run(context -> {
                assertThat(context.getBean(Client.class).get()).isEqualTo("status 200");
                // on a busy machine the answer, too, may take longer than a second
                assertThat(context.getBean(Client.class).attempts()).isGreaterThan(1);
            });
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void thatAreLostAreTriedAgain(boolean jdk) {
            // JDK clients try again once by themselves
            backend.hangingUp().hangingUp().hangingUp();
            runner(backend.url(), factory(jdk)).run(context -> {
                assertThat(context.getBean(Client.class).get()).isEqualTo("status 200");
                assertThat(context.getBean(Client.class).attempts()).isGreaterThan(1);
            });
        }

        private ClientHttpRequestFactory factory(boolean jdk) {
            if (jdk) {
                JdkClientHttpRequestFactory factory = new JdkClientHttpRequestFactory();
                factory.setReadTimeout(Duration.ofSeconds(1));
                return factory;
            }
            SimpleClientHttpRequestFactory factory = new SimpleClientHttpRequestFactory();
            factory.setReadTimeout(Duration.ofSeconds(1));
            return factory;
        }
    }

    private static ApplicationContextRunner runner(String url) {
        return runner(url, new SimpleClientHttpRequestFactory());
    }

    private static ApplicationContextRunner runner(String url, ClientHttpRequestFactory factory) {
        RestClient rest =
                RestClient.builder().baseUrl(url).requestFactory(factory).build();
        return Applications.plain().withBean(Client.class, rest);
    }

    static class Client {

        private final RestClient rest;
        private final AtomicInteger attempts = new AtomicInteger();

        Client(RestClient rest) {
            this.rest = rest;
        }

        int attempts() {
            return attempts.get();
        }

        @Retryable("default")
        public String get() {
            attempts.incrementAndGet();
            return rest.get().uri("/").retrieve().body(String.class);
        }

        @Idempotent(key = "#key")
        @Retryable("default")
        public String post(String key) {
            attempts.incrementAndGet();
            return rest.post().uri("/").body(key).retrieve().body(String.class);
        }

        @CircuitBreaker("default")
        public String guarded() {
            return rest.get().uri("/").retrieve().body(String.class);
        }
    }
}
