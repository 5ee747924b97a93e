package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.exception.RateLimitExceededException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.exception.RetryExhaustedException;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.context.junit.jupiter.web.SpringJUnitWebConfig;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;

@SpringJUnitWebConfig(ProblemDetailsTests.Application.class)
class ProblemDetailsTests {

    private static final Duration WAIT = Duration.ofSeconds(7);

    @Autowired
    WebApplicationContext context;

    @Autowired
    Thrower thrower;

    static Stream<Arguments> refusals() {
        return Stream.of(
                arguments(new CircuitOpenException("orders", WAIT), 503, "circuit-open", "7"),
                arguments(new BulkheadFullException("orders", "why"), 503, "bulkhead-full", "1"),
                arguments(
                        new RateLimitExceededException("orders", WAIT, 9, Duration.ofMinutes(1), "why"),
                        429,
                        "rate-limit-exceeded",
                        "7"),
                arguments(new TimeLimitExceededException("orders", "why", null), 504, "time-limit-exceeded", null),
                arguments(new RetryExhaustedException("orders", 3, "why"), 503, "retry-exhausted", null),
                arguments(new IdempotencyKeyMissingException("why"), 400, "idempotency-key-missing", null),
                arguments(new IdempotencyKeyInvalidException("why"), 400, "idempotency-key-invalid", null),
                arguments(new IdempotencyInProgressException("why", WAIT), 409, "idempotency-in-progress", "7"),
                arguments(new IdempotencyKeyReusedException("why"), 422, "idempotency-key-reused", null),
                arguments(new IdempotencyOutcomeUnknownException("why"), 409, "idempotency-outcome-unknown", null),
                arguments(new IdempotencyLeaseLostException("why"), 409, "idempotency-lease-lost", "1"),
                arguments(new IdempotencyStoreException("why", null), 503, "idempotency-store", null));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void everyRefusalHasAStatusATypeAndAHintWhenToComeBack(
            ResilienceException refusal, int status, String type, @Nullable String retryAfter) {
        MvcTestResult answer = answerTo(refusal, MediaType.APPLICATION_JSON_VALUE);

        assertThat(answer)
                .hasStatus(status)
                .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
                .bodyJson()
                .hasPathSatisfying("$.type", value -> value.assertThat().isEqualTo("urn:resilience:problem:" + type))
                .hasPathSatisfying("$.status", value -> value.assertThat().isEqualTo(status))
                .hasPathSatisfying("$.title", value -> value.assertThat().isNotEmpty())
                .hasPathSatisfying("$.detail", value -> value.assertThat().isEqualTo(refusal.getMessage()))
                .doesNotHavePath("$.instance");
        assertThat(answer.getResponse().getHeader(HttpHeaders.RETRY_AFTER)).isEqualTo(retryAfter);
    }

    @ParameterizedTest
    @CsvSource({"PT0.000000001S, 1", "PT0.9S, 1", "PT1S, 1", "PT1.000000001S, 2", "PT29.5S, 30", "PT5M, 300"})
    void theHintIsRoundedUpToWholeSeconds(Duration wait, String seconds) {
        assertThat(answerTo(new CircuitOpenException("orders", wait), MediaType.ALL_VALUE))
                .hasHeader(HttpHeaders.RETRY_AFTER, seconds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"*/*", "application/problem+json", "text/html", "text/csv", "application/*+json"})
    void theContentTypeIsTheSameWhateverTheCallerAccepts(String accept) {
        assertThat(answerTo(new CircuitOpenException("orders", WAIT), accept))
                .hasStatus(503)
                .hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
    }

    @Test
    void aRefusalThatCausedAnotherExceptionIsFound() {
        IllegalStateException outer = new IllegalStateException("outer", new CircuitOpenException("orders", WAIT));
        assertThat(answerTo(outer, MediaType.ALL_VALUE))
                .hasStatus(503)
                .bodyJson()
                .extractingPath("$.type")
                .isEqualTo("urn:resilience:problem:circuit-open");
    }

    @Test
    void whyACircuitBreakerIsOpenIsNotToldToCallers() {
        CircuitOpenException refusal =
                new CircuitOpenException("orders", WAIT, "5 calls failed with SecretException", true, null);

        assertThat(answerTo(refusal, MediaType.ALL_VALUE))
                .bodyJson()
                .extractingPath("$.detail")
                .isEqualTo("Circuit breaker 'orders' refused the call: it was not made");
    }

    @Test
    void otherExceptionsAreLeftAlone() {
        assertThat(answerTo(new UnsupportedOperationException("not ours"), MediaType.ALL_VALUE))
                .failure()
                .hasRootCauseInstanceOf(UnsupportedOperationException.class);
    }

    private MvcTestResult answerTo(RuntimeException exception, String accept) {
        thrower.exception = exception;
        return MockMvcTester.from(context)
                .get()
                .uri("/")
                .header(HttpHeaders.ACCEPT, accept)
                .exchange();
    }

    @RestController
    static class Thrower {

        RuntimeException exception = new IllegalStateException("nothing to throw");

        @GetMapping("/")
        String answer() {
            throw exception;
        }
    }

    @ImportAutoConfiguration({
        ResilienceAutoConfiguration.class,
        ResilienceWebAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        HttpMessageConvertersAutoConfiguration.class,
        DispatcherServletAutoConfiguration.class,
        WebMvcAutoConfiguration.class
    })
    @Import(Thrower.class)
    static class Application {}
}
