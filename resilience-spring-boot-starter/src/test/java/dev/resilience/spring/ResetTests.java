package dev.resilience.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.event.CircuitState;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;

/** Tests that share an application begin with circuit breakers as before the first call. */
class ResetTests {

    @Test
    void resetGivesEveryCircuitBreakerItsInitialStateAndAnEmptyWindow() {
        Applications.plain(Shop.class)
                .withPropertyValues(
                        "resilience.circuit-breaker.shop.failure-threshold=2",
                        "resilience.circuit-breaker.shut.initial-state=forced-open")
                .run(context -> {
                    ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
                    Shop shop = context.getBean(Shop.class);
                    registry.circuitBreakers().get("shut").close();
                    context.getBean(Callee.class).attemptsOf(shop::sell);

                    registry.reset();
                    context.getBean(Callee.class).attemptsOf(shop::sell);

                    assertThat(registry.circuitBreakers().get("shop").currentState())
                            .as("after one failure")
                            .isEqualTo(CircuitState.CLOSED);
                    assertThat(registry.circuitBreakers().get("shut").currentState())
                            .isEqualTo(CircuitState.FORCED_OPEN);

                    context.getBean(Callee.class).attemptsOf(shop::sell);
                    assertThat(registry.circuitBreakers().get("shop").currentState())
                            .isEqualTo(CircuitState.OPEN);
                    registry.reset();
                    assertThat(shop.sell()).isNotNull();
                });
    }

    static class Shop {

        private final Callee callee;

        Shop(Callee callee) {
            this.callee = callee;
        }

        @CircuitBreaker("shop")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }
}
