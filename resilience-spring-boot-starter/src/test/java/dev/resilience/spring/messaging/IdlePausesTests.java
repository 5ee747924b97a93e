package dev.resilience.spring.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.spring.Applications;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.autoconfigure.ResilienceMessagingAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jms.annotation.JmsListener;

/** A circuit breaker pauses the listeners that have its annotation, and none that call a bean which has it. */
class IdlePausesTests {

    private static final List<String> PAUSES = List.of("resilience.circuit-breaker.payments.pause-listeners=true");

    private static List<String> warnings(List<String> properties, Class<?>... components) {
        List<String> warnings = new ArrayList<>();
        Applications.plain(components)
                .withPropertyValues(properties.toArray(String[]::new))
                .withConfiguration(SortedOnce.of(ResilienceMessagingAutoConfiguration.class))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    warnings.addAll(context.getBean(StartupWarnings.class).all());
                });
        return warnings;
    }

    @Test
    void aBreakerOfABeanThatListenersCallIsWarnedAboutWithTheCure() {
        assertThat(warnings(PAUSES, Plain.class, Payments.class))
                .singleElement()
                .asString()
                .contains("'pause-listeners'", "'payments'", "no effect", "on the method that listens");
    }

    @Test
    void oneThatProtectsAListenerIsNot() {
        assertThat(warnings(PAUSES, Protected.class, Payments.class)).isEmpty();
    }

    /** Another breaker starts from the one that has the key. */
    @Test
    void anInheritedKeyIsNotEither() {
        List<String> inherited = List.of(
                "resilience.circuit-breaker.default.pause-listeners=true",
                "resilience.circuit-breaker.payments.failure-threshold=3");
        assertThat(warnings(inherited, Protected.class, Stock.class)).isEmpty();
    }

    @Test
    void withoutTheKeyNothingIsSaid() {
        List<String> other = List.of("resilience.circuit-breaker.payments.failure-threshold=3");
        assertThat(warnings(other, Plain.class, Payments.class)).isEmpty();
    }

    static class Payments {

        @CircuitBreaker("payments")
        public void pay(String order) {}
    }

    static class Stock {

        @CircuitBreaker
        public void take(String order) {}
    }

    static class Plain {

        @JmsListener(destination = "orders")
        public void on(String order) {}
    }

    static class Protected {

        @JmsListener(destination = "orders")
        @CircuitBreaker("payments")
        public void on(String order) {}
    }
}
