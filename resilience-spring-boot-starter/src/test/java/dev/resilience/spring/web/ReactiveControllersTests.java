package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

class ReactiveControllersTests {

    @Test
    void answerRefusalsWithProblemDetails() {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(
                        SortedOnce.of(ResilienceAutoConfiguration.class, ResilienceWebAutoConfiguration.class))
                .run(context -> {
                    WebTestClient client = WebTestClient.bindToController(new Shop())
                            .controllerAdvice(context.getBean(ResilienceExceptionHandler.class))
                            .build();
                    client.get()
                            .uri("/sell")
                            .exchange()
                            .expectStatus()
                            .isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
                            .expectHeader()
                            .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                            .expectHeader()
                            .valueEquals(HttpHeaders.RETRY_AFTER, "7")
                            .expectBody()
                            .jsonPath("$.type")
                            .isEqualTo("urn:resilience:problem:circuit-open")
                            .jsonPath("$.instance")
                            .doesNotExist();
                });
    }

    @Test
    void aMethodThatReturnsNoMonoCannotTakeAKeyFromAHeader() {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class, JacksonAutoConfiguration.class, ResilienceAutoConfiguration.class))
                .withPropertyValues("resilience.idempotency.default.scope=none")
                .withBean(Payments.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("Payments.pay(")
                        .hasMessageContaining("only methods that return a Mono know the request"));
    }

    static class Payments {

        @Idempotent(header = "Idempotency-Key")
        String pay(String order) {
            return order;
        }
    }

    @RestController
    static class Shop {

        @GetMapping("/sell")
        Mono<String> sell() {
            return Mono.error(new CircuitOpenException("shop", Duration.ofSeconds(7)));
        }
    }
}
