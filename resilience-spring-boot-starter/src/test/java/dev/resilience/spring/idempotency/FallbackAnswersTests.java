package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.event.FallbackOutcome;
import dev.resilience.spring.LiveRegistry;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContext;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;

/** Wherever a fallback stands in the order, its answer is given and not stored. */
@ParameterizedClass
@ValueSource(ints = {0, 1, 2, 3, 4, 5})
class FallbackAnswersTests {

    @Parameter
    private int place;

    private String[] properties() {
        List<String> order =
                new ArrayList<>(List.of("idempotent", "bulkhead", "circuit-breaker", "retry", "time-limit"));
        order.add(place, "fallback");
        return new String[] {
            "resilience.order=" + String.join(",", order),
            "resilience.retry.default.max-attempts=1",
            "resilience.idempotency-store.type=memory"
        };
    }

    @Test
    void ofValues() {
        IdempotentApplication.runner()
                .withPropertyValues(properties())
                .withBean(Orders.class)
                .run(context -> {
                    Orders orders = context.getBean(Orders.class);

                    assertThat(orders.place("key")).isEqualTo("later");
                    assertThat(orders.place("key")).isEqualTo("order 2");
                    assertThat(orders.place("key")).isEqualTo("order 2");
                    assertAnsweredOnce(context);
                });
    }

    @Test
    void ofFutures() {
        IdempotentApplication.runner()
                .withPropertyValues(properties())
                .withBean(Orders.class)
                .run(context -> {
                    Orders orders = context.getBean(Orders.class);

                    assertThat(orders.placeAsync("key").join()).isEqualTo("later");
                    assertThat(orders.placeAsync("key").join()).isEqualTo("order 2");
                    assertThat(orders.placeAsync("key").join()).isEqualTo("order 2");
                    assertAnsweredOnce(context);
                });
    }

    @Test
    void ofHttp() {
        IdempotentApplication.web()
                .withPropertyValues(properties())
                .withBean(Orders.class)
                .run(context -> {
                    MockMvcTester mvc =
                            MockMvcTester.from((WebApplicationContext) context.getSourceApplicationContext());

                    for (String expected : new String[] {"later", "order 2", "order 2"}) {
                        assertThat(mvc.post().uri("/orders").header("Idempotency-Key", "key"))
                                .hasStatusOk()
                                .hasBodyTextEqualTo(expected);
                    }
                    assertAnsweredOnce(context);
                });
    }

    private static void assertAnsweredOnce(ApplicationContext context) {
        assertThat(context.getBean(LiveRegistry.class).ofKind("fallback").values())
                .filteredOn(dev.resilience.fallback.Fallback.class::isInstance)
                .extracting(fallback ->
                        ((dev.resilience.fallback.Fallback) fallback).calls().get(FallbackOutcome.SUCCESS))
                .contains(1L)
                .allMatch(count -> count <= 1);
    }

    @RestController
    static class Orders {

        private final AtomicInteger calls = new AtomicInteger();

        @Fallback("later")
        @Idempotent(key = "#key")
        @Bulkhead("default")
        @CircuitBreaker("default")
        @Retryable("default")
        @TimeLimit("default")
        public String place(String key) throws ConnectException {
            if (calls.incrementAndGet() == 1) {
                throw new ConnectException();
            }
            return "order " + calls.get();
        }

        @Fallback("laterAsync")
        @Idempotent(key = "#key")
        @Bulkhead("default")
        @CircuitBreaker("default")
        @Retryable("default")
        @TimeLimit("default")
        public CompletableFuture<String> placeAsync(String key) throws ConnectException {
            return CompletableFuture.completedFuture(place(key));
        }

        @PostMapping("/orders")
        @Fallback("later")
        @Idempotent(header = "Idempotency-Key")
        @Bulkhead("default")
        @CircuitBreaker("default")
        @Retryable("default")
        @TimeLimit("default")
        public String post() throws ConnectException {
            return place("");
        }

        String later() {
            return "later";
        }

        CompletableFuture<String> laterAsync() {
            return CompletableFuture.completedFuture("later");
        }
    }
}
