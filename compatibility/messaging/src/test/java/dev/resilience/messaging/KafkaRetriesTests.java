package dev.resilience.messaging;

import static dev.resilience.messaging.FailingBackend.FAILING;
import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.messaging.KafkaOutcomesTests.Deliveries;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.annotation.KafkaListener;

/** What becomes of a message whose listener has a retry, inside the ten deliveries of a container of Kafka. */
class KafkaRetriesTests {

    private static final String KEPT = "resilience.retry.default.dead-letter=true";

    /** The listener, a message that fails, and one that does not. */
    private static KafkaApplication failed(Class<?> listener, Class<?> backend, String... properties) {
        return failed(RetryPlace.LISTENER.properties(properties), listener, backend);
    }

    static KafkaApplication failed(List<String> properties, Class<?> listener, Class<?> backend) {
        KafkaApplication shop = new KafkaApplication(properties, listener, backend, Deliveries.class);
        shop.send(null, FAILING);
        shop.send(null, "next");
        await(() -> shop.effects.all().contains("next"));
        return shop;
    }

    static int calls(KafkaApplication shop) {
        return shop.bean(FailingBackend.class).calls();
    }

    static List<String> recovered(KafkaApplication shop) {
        return shop.bean(Deliveries.class).recovered;
    }

    private static int letters(KafkaApplication shop) {
        return shop.bean(DeadLetterStore.class).list("default", 10).size();
    }

    @ParameterizedTest
    @ValueSource(classes = {Retried.class, RetriedLater.class})
    void theRetryOfTheListenerTakesThePlaceOfTheContainers(Class<?> listener) {
        try (KafkaApplication shop = failed(listener, FailingBackend.class)) {
            await(() -> !recovered(shop).isEmpty()); // that of a future comes with a later poll
            assertThat(calls(shop)).isEqualTo(3);
            assertThat(recovered(shop)).containsExactly(FAILING);
        }
    }

    /** The retry decides for the container too. */
    @Test
    void whatTheRetryDoesNotRepeatTheContainerDoesNotDeliverAgain() {
        try (KafkaApplication shop = failed(
                Retried.class,
                FailingBackend.class,
                "resilience.retry.default.do-not-retry-on=java.lang.IllegalStateException",
                "resilience.retry.default.retry-on=")) {
            assertThat(calls(shop)).isEqualTo(1);
            assertThat(recovered(shop)).containsExactly(FAILING);
        }
    }

    /** The breaker, which is outside of the retry, opens with the first message. */
    @Test
    void whatARefusalKeptFromBeingTriedIsDeliveredAgain() {
        try (KafkaApplication shop = failed(
                Refused.class,
                FailingBackend.class,
                "resilience.circuit-breaker.default.failure-threshold=1",
                "resilience.circuit-breaker.default.failure-rate-threshold=0")) {
            shop.send(null, FAILING);
            shop.send(null, "last");
            await(() -> shop.effects.all().contains("last"));
            assertThat(calls(shop)).isEqualTo(3);
            assertThat(shop.bean(Deliveries.class).all)
                    .filteredOn(FAILING::equals)
                    .hasSize(1 + 10);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Retried.class, RetriedLater.class})
    void aDeadLetterIsAllThatIsKept(Class<?> listener) {
        try (KafkaApplication shop = failed(listener, FailingBackend.class, KEPT)) {
            await(() -> calls(shop) == 3);
            await(() -> letters(shop) == 1);
            shop.send(null, "last");
            await(() -> shop.effects.all().contains("last"));
            assertThat(calls(shop)).isEqualTo(3);
            assertThat(letters(shop)).isEqualTo(1);
            assertThat(recovered(shop)).isEmpty();
        }
    }

    @Test
    void aCallThatCannotBeKeptGoesToTheRecoverer() {
        try (KafkaApplication shop = failed(
                Retried.class,
                FailingBackend.class,
                KEPT,
                "resilience.dead-letter-store.type=memory",
                "resilience.dead-letter-store.memory.max-size=1B")) {
            assertThat(calls(shop)).isEqualTo(3);
            assertThat(recovered(shop)).containsExactly(FAILING);
        }
    }

    static class Listener {

        final FailingBackend backend;
        final Effects effects;

        Listener(FailingBackend backend, Effects effects) {
            this.backend = backend;
            this.effects = effects;
        }

        @KafkaListener(topics = "${topic}")
        public void ship(String order) {
            backend.call(order);
            effects.add(order);
        }
    }

    static class Retried extends Listener {

        Retried(FailingBackend backend, Effects effects) {
            super(backend, effects);
        }

        @Override
        @Retryable
        @KafkaListener(topics = "${topic}")
        public void ship(String order) {
            super.ship(order);
        }
    }

    static class Refused extends Listener {

        Refused(FailingBackend backend, Effects effects) {
            super(backend, effects);
        }

        @Override
        @Retryable
        @CircuitBreaker
        @Fallback(value = "next", on = CircuitOpenException.class)
        @KafkaListener(topics = "${topic}")
        public void ship(String order) {
            super.ship(order);
        }

        /** The other message gets through. */
        void next(String order, CircuitOpenException refused) {
            if (order.equals(FAILING)) {
                throw refused;
            }
            effects.add(order);
        }
    }

    static class RetriedLater {

        private final FailingBackend backend;
        private final Effects effects;

        RetriedLater(FailingBackend backend, Effects effects) {
            this.backend = backend;
            this.effects = effects;
        }

        @Retryable
        @KafkaListener(topics = "${topic}")
        public CompletableFuture<Void> ship(String order) {
            backend.call(order);
            effects.add(order);
            return CompletableFuture.completedFuture(null);
        }
    }
}
