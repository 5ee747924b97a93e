package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.annotation.Idempotent;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import java.util.Enumeration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A Mono whose key is in a header, subscribed to on another thread than that of the request. */
@ExtendWith(OutputCaptureExtension.class)
class SubscribedElsewhereTests {

    private static final String HEADER = "Idempotency-Key";

    private static ApplicationContextRunner servlets() {
        return IdempotentApplication.runner()
                .withBean(Orders.class)
                .withPropertyValues("resilience.idempotency.default.scope=none");
    }

    private static ReactiveWebApplicationContextRunner webFlux() {
        return new ReactiveWebApplicationContextRunner()
                .withBean(Orders.class)
                .withBean(Controller.class)
                .withBean(Functional.class)
                .withPropertyValues(
                        "resilience.idempotency-store.type=memory", "resilience.idempotency.default.scope=none")
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        CodecsAutoConfiguration.class,
                        WebFluxAutoConfiguration.class,
                        ResilienceAutoConfiguration.class,
                        ResilienceWebAutoConfiguration.class));
    }

    private static void inRequest(String... keys) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        for (String key : keys) {
            request.addHeader(HEADER, key);
        }
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
    }

    @BeforeEach
    @AfterEach
    void forgetRequests() {
        RequestContextHolder.resetRequestAttributes();
    }

    private static int elsewhere(Mono<Integer> order) {
        return order.subscribeOn(Schedulers.single()).blockOptional().orElseThrow();
    }

    @Test
    void theKeyIsThatOfTheRequestInWhichTheMonoWasMade() {
        servlets().run(context -> {
            Orders orders = context.getBean(Orders.class);
            inRequest("k");
            assertThat(elsewhere(orders.place())).isEqualTo(1);
            assertThat(elsewhere(orders.placeMaybe())).isEqualTo(2);
            Mono<Integer> order = orders.place();
            Mono<Integer> maybe = orders.placeMaybe();
            forgetRequests();
            assertThat(elsewhere(order)).isEqualTo(1);
            assertThat(elsewhere(maybe)).isEqualTo(2);
            inRequest();
            assertThat(elsewhere(orders.placeMaybe())).isEqualTo(3);
        });
    }

    @Test
    void theRequestOfTheSubscriberComesFirst() {
        servlets().run(context -> {
            Orders orders = context.getBean(Orders.class);
            inRequest("a");
            Mono<Integer> shared = orders.place();
            assertThat(shared.block()).isEqualTo(1);
            inRequest("b");
            assertThat(shared.block()).isEqualTo(2);
            assertThat(orders.place().block()).isEqualTo(2);
        });
    }

    /** A thread may have kept a request that is over, whose parts throw. */
    @Test
    void makingTheMonoNeverThrows() {
        servlets().run(context -> {
            MockHttpServletRequest over = new MockHttpServletRequest() {
                @Override
                public Enumeration<String> getHeaders(String name) {
                    throw new IllegalStateException("The request object has been recycled");
                }
            };
            RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(over));
            Mono<Integer> order = context.getBean(Orders.class).place();
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(order::block);
        });
    }

    @Test
    void withoutAnyRequestItIsRefusedOrRunsUnprotectedAndSaysSoOnce(CapturedOutput output) {
        servlets().run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThatExceptionOfType(IdempotencyKeyMissingException.class).isThrownBy(() -> elsewhere(orders.place()));
            assertThat(elsewhere(orders.placeMaybe())).isEqualTo(1);
            assertThat(elsewhere(orders.placeMaybe())).isEqualTo(2);
            assertThat(context.getBean(ResilienceRegistry.class)
                            .idempotencies()
                            .get("default")
                            .calls()
                            .get(IdempotencyOutcome.NO_KEY))
                    .isEqualTo(2);
            assertThat(output.getOut()).containsOnlyOnce("was called where no request is known");
        });
    }

    @Test
    void inWebFluxTheRequestIsKnownWhereverTheCallIsSubscribedToInItsChain(CapturedOutput output) {
        webFlux().run(context -> {
            WebTestClient client =
                    WebTestClient.bindToApplicationContext(context).build();
            assertThat(post(client, "/later", "k")).isEqualTo("1");
            assertThat(post(client, "/later", "\"k\"")).isEqualTo("1");
            assertThat(post(client, "/here", "k")).isEqualTo("2");
            assertThat(post(client, "/here", "k")).isEqualTo("2");
            assertThat(post(client, "/maybe")).isEqualTo("3");
            assertThat(post(client, "/maybe")).isEqualTo("4");
            assertThat(post(client, "/maybe", "m")).isEqualTo("5");
            assertThat(post(client, "/maybe", "m")).isEqualTo("5");
            assertThat(post(client, "/functional", "m")).isEqualTo("5");
            assertThat(output.getOut()).doesNotContain("where no request is known");
            for (String[] bad : new String[][] {{}, {"a", "b"}, {""}, {"a,b"}}) {
                client.post()
                        .uri("/here")
                        .header(HEADER, bad)
                        .exchange()
                        .expectStatus()
                        .isEqualTo(HttpStatus.BAD_REQUEST);
            }
        });
    }

    @Test
    void inWebFluxACallOutsideOfItsRequestSaysSo(CapturedOutput output) {
        webFlux().run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThat(orders.placeMaybe().block()).isEqualTo(1);
            assertThatExceptionOfType(IdempotencyKeyMissingException.class)
                    .isThrownBy(() -> orders.place().block());
            assertThat(output.getOut()).containsOnlyOnce("was called where no request is known");
        });
    }

    private static String post(WebTestClient client, String path, String... key) {
        return String.valueOf(client.post()
                .uri(path)
                .header(HEADER, key)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody());
    }

    static class Orders {

        private final AtomicInteger calls = new AtomicInteger();

        @Idempotent(header = HEADER)
        Mono<Integer> place() {
            return Mono.fromSupplier(calls::incrementAndGet);
        }

        @Idempotent(header = HEADER, required = false)
        Mono<Integer> placeMaybe() {
            return Mono.fromSupplier(calls::incrementAndGet);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Functional {

        @Bean
        RouterFunction<ServerResponse> route(Orders orders) {
            return RouterFunctions.route()
                    .POST("/functional", request -> ServerResponse.ok().body(orders.placeMaybe(), Integer.class))
                    .build();
        }
    }

    @RestController
    static class Controller {

        private final Orders orders;

        Controller(Orders orders) {
            this.orders = orders;
        }

        @PostMapping("/later")
        Mono<Integer> later() {
            return Mono.just(1).publishOn(Schedulers.single()).flatMap(ignored -> orders.place());
        }

        @PostMapping("/here")
        @Idempotent(header = HEADER)
        Mono<String> here() {
            return orders.placeMaybe().map(String::valueOf);
        }

        @PostMapping("/maybe")
        Mono<Integer> maybe() {
            return orders.placeMaybe();
        }
    }
}
