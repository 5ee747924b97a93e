package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.StartupWarnings;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** What is left of Resilience4j after a change of libraries. */
class Resilience4jKeysTests extends FailingStartup {

    private static final String LEFT_OVER = """
        resilience4j:
          retry.instances.paymentGateway.max-attempts: 4
          circuitbreaker.instances.gateway.failure-rate-threshold: 50
        """;

    private List<String> warnings(String yaml) {
        try (ConfigurableApplicationContext context = start(yaml)) {
            return List.copyOf(context.getBean(StartupWarnings.class).all());
        }
    }

    @Test
    void isToldOnceWithWhatWritesTheEquivalent() {
        assertThat(warnings(LEFT_OVER))
                .containsExactly(
                        "Keys under 'resilience4j' have no effect, because no Spring Boot starter of Resilience4j is on"
                                + " the class path: resilience-migration writes them below 'resilience' (docs/converter.md)."
                                + " [key-without-effect] (docs/warnings.md#key-without-effect)");
    }

    @Test
    void isInTheFailureOfAMethodThatNamesSuchAPolicy() {
        fail(LEFT_OVER, NamesALeftOver.class)
                .says("names the retry policy 'paymentGateway'")
                .advises("configure the policy under 'resilience.retry.paymentGateway'")
                .advises("Keys under 'resilience4j' have no effect");
    }

    @Test
    void nothingIsSaidWithoutSuchKeys() {
        assertThat(warnings("resilience.retry.payments.max-attempts: 5")).isEmpty();
        assertThat(fail("resilience.retry.other.max-attempts: 5", NamesALeftOver.class)
                        .action())
                .doesNotContain("resilience4j");
    }

    static class NamesALeftOver {

        @Retryable("paymentGateway")
        public void pay() {}
    }
}
