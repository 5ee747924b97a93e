package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.ResilienceRegistry;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Several applications in one JVM: side by side, or one after the other as with DevTools. */
class SeveralContextsTests {

    @Test
    void haveNothingInCommon() {
        Applications.plain(Shop.class)
                .run(one -> Applications.plain(Shop.class).run(other -> {
                    one.getBean(ResilienceRegistry.class)
                            .circuitBreakers()
                            .get("default")
                            .forceOpen();

                    assertThatThrownBy(one.getBean(Shop.class)::sell).isInstanceOf(CircuitOpenException.class);
                    assertThat(other.getBean(Shop.class).sell()).isEqualTo("answer 1");
                }));
    }

    @Test
    void outliveEachOther() {
        Applications.plain(Shop.class).run(one -> {
            Applications.plain(Shop.class)
                    .run(other -> assertThat(other.getBean(Shop.class).sell()).isEqualTo("answer 1"));

            assertThat(one.getBean(Callee.class).attemptsOf(one.getBean(Shop.class)::sell))
                    .isEqualTo(3);
        });
    }

    @Test
    void startAgainWithChangedPolicies() {
        Applications.plain(Shop.class)
                .withPropertyValues("resilience.retry.default.max-attempts=2")
                .run(first -> assertThat(first.getBean(Callee.class).attemptsOf(first.getBean(Shop.class)::sell))
                        .isEqualTo(2));
        Applications.plain(Shop.class)
                .withPropertyValues("resilience.retry.default.max-attempts=4")
                .run(second -> assertThat(second.getBean(Callee.class).attemptsOf(second.getBean(Shop.class)::sell))
                        .isEqualTo(4));
    }

    static class Shop {

        @Autowired
        Callee callee;

        @CircuitBreaker("default")
        @Retryable("default")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }
}
