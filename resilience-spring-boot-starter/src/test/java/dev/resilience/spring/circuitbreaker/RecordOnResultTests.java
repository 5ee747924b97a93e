package dev.resilience.spring.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Results that count as failures by an expression in the policy. */
class RecordOnResultTests {

    private static ApplicationContextRunner shop() {
        return Applications.plain(Shop.class)
                .withPropertyValues(
                        "resilience.circuit-breaker.payments.failure-threshold=2",
                        "resilience.circuit-breaker.payments.record-on-result=#result.status == 'DOWN'",
                        "resilience.circuit-breaker.refunds.extends=payments",
                        "resilience.circuit-breaker.refunds.failure-threshold=1");
    }

    @Test
    void openTheBreakerAndReachTheCaller() {
        shop().run(context -> {
            Shop shop = context.getBean(Shop.class);

            assertThat(shop.pay("DOWN").status()).isEqualTo("DOWN");
            assertThat(shop.pay("PAID").status()).isEqualTo("PAID");
            assertThat(shop.pay("DOWN").status()).isEqualTo("DOWN");
            assertThat(shop.pay("DOWN").status()).isEqualTo("DOWN");

            assertThatThrownBy(() -> shop.pay("PAID")).isInstanceOf(CircuitOpenException.class);
        });
    }

    @Test
    void ofAsynchronousMethodsAreWhatTheFutureHolds() {
        shop().run(context -> {
            Shop shop = context.getBean(Shop.class);

            assertThat(shop.payLater("DOWN")).isCompleted();
            assertThat(shop.payLater("DOWN")).isCompleted();

            assertThat(shop.payLater("PAID")).isCompletedExceptionally();
        });
    }

    @Test
    void areInheritedLikeEveryKey() {
        shop().run(context -> {
            context.getBean(Shop.class).refund("DOWN");

            assertIs(context, "refunds", CircuitState.OPEN);
        });
    }

    @Test
    void areNoneIfTheExpressionCannotBeEvaluated() {
        shop().withPropertyValues("resilience.circuit-breaker.payments.failure-threshold=1")
                .run(context -> {
                    assertThat(context.getBean(Shop.class).pay(null)).isNull();

                    assertIs(context, "payments", CircuitState.CLOSED);
                });
    }

    private static void assertIs(AssertableApplicationContext context, String name, CircuitState state) {
        assertThat(context.getBean(ResilienceRegistry.class)
                        .circuitBreakers()
                        .get(name)
                        .currentState())
                .isEqualTo(state);
    }

    public record Answer(String status) {}

    static class Shop {

        @CircuitBreaker("payments")
        public Answer pay(String status) {
            return status == null ? null : new Answer(status);
        }

        @CircuitBreaker("payments")
        public CompletableFuture<Answer> payLater(String status) {
            return CompletableFuture.completedFuture(new Answer(status));
        }

        @CircuitBreaker("refunds")
        public Answer refund(String status) {
            return new Answer(status);
        }
    }
}
