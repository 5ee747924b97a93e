package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.messaging.KafkaApplication.GivenUp;
import dev.resilience.messaging.KafkaOutcomesTests.GivesUpAtOnce;
import dev.resilience.spring.ResilienceRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Lazy;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.MessageListenerContainer;

/** Which messages of Kafka are given up that an open circuit breaker refuses. Their error handler does so at once. */
class KafkaRefusalsTests {

    private static KafkaApplication shop() {
        List<String> pausing = List.of(
                "resilience.circuit-breaker.payments.pause-listeners=true",
                "resilience.circuit-breaker.stock.failure-threshold=5");
        return new KafkaApplication(
                pausing, Shipping.class, Later.class, Stock.class, GivenUp.class, GivesUpAtOnce.class);
    }

    private static dev.resilience.circuitbreaker.CircuitBreaker breaker(KafkaApplication shop, String name) {
        return shop.bean(ResilienceRegistry.class).circuitBreaker(name);
    }

    private static List<String> givenUp(KafkaApplication shop) {
        return shop.bean(GivenUp.class).all;
    }

    private static void assertDeliveredAgain(KafkaApplication shop) {
        await(() -> breaker(shop, "payments").calls().get(CircuitBreakerOutcome.REJECTED) > 1
                || !givenUp(shop).isEmpty());
        assertThat(givenUp(shop)).isEmpty();
    }

    @Test
    void aContainerThatTheApplicationHasResumedGivesNoneUp() {
        try (KafkaApplication shop = shop()) {
            MessageListenerContainer container = shop.bean(KafkaListenerEndpointRegistry.class)
                    .getListenerContainers()
                    .iterator()
                    .next();
            container.pause();
            breaker(shop, "payments").forceOpen();
            container.resume();
            shop.send(null, "order");
            assertDeliveredAgain(shop);
        }
    }

    @Test
    void aContainerThatComesLaterGivesNoneUp() {
        try (KafkaApplication shop = shop()) {
            breaker(shop, "payments").forceOpen();
            shop.bean(Later.class);
            shop.send(null, "order");
            assertDeliveredAgain(shop);
        }
    }

    /** The listener's own has paused its container before. */
    @Test
    void thoseOfABreakerThatPausesNothingAreGivenUp() {
        try (KafkaApplication shop = shop()) {
            breaker(shop, "payments").forceOpen();
            breaker(shop, "payments").close();
            breaker(shop, "stock").forceOpen();
            shop.send(null, "order");
            await(() -> givenUp(shop).contains("order"));
        }
    }

    static class Shipping {

        private final Stock stock;

        Shipping(Stock stock) {
            this.stock = stock;
        }

        @KafkaListener(topics = "${topic}")
        @CircuitBreaker("payments")
        public void ship(String order) {
            stock.take();
        }
    }

    @Lazy
    static class Later {

        @KafkaListener(topics = "${topic}", groupId = "later")
        @CircuitBreaker("payments")
        public void ship(String order) {}
    }

    static class Stock {

        @CircuitBreaker("stock")
        public void take() {}
    }
}
