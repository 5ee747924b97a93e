package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;

import dev.resilience.annotation.Idempotent;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A request that waits for the answer of an earlier one, without a thread. */
class WaitingRequestsTests {

    @Test
    void isToldThatItGetsAnEarlierAnswer() {
        Web.application(Shop.class)
                .withPropertyValues(
                        "resilience.idempotency-store.type=memory",
                        "resilience.idempotency.default.on-in-progress=wait")
                .run(context -> {
                    MockMvcTester mvc = MockMvcTester.from(context);
                    MvcTestResult first = post(mvc);
                    MvcTestResult second = post(mvc);
                    context.getBean(Shop.class).order().complete("order 1");
                    context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(1));

                    assertThat(answer(mvc, first))
                            .hasStatusOk()
                            .hasBodyTextEqualTo("order 1")
                            .doesNotContainHeader("Idempotency-Replayed");
                    assertThat(answer(mvc, second))
                            .hasStatusOk()
                            .hasBodyTextEqualTo("order 1")
                            .hasHeader("Idempotency-Replayed", "true");
                });
    }

    private static MvcTestResult post(MockMvcTester mvc) {
        return mvc.post().uri("/orders").header("Idempotency-Key", "k").asyncExchange();
    }

    private static MvcTestResult answer(MockMvcTester mvc, MvcTestResult started) {
        return mvc.perform(asyncDispatch(started.getMvcResult()));
    }

    @RestController
    static class Shop {

        private final CompletableFuture<String> order = new CompletableFuture<>();

        CompletableFuture<String> order() {
            return order;
        }

        @PostMapping("/orders")
        @Idempotent(header = "Idempotency-Key")
        CompletableFuture<String> place() {
            return order;
        }
    }
}
