package dev.resilience.messaging;

import static dev.resilience.messaging.FailingBackend.FAILING;
import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.messaging.PausedListenersTests.Backend;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.amqp.rabbit.annotation.RabbitListener;

/** How often a backend that is down is called for a message of RabbitMQ, and where RabbitMQ puts the message. */
@EnabledIf("dev.resilience.messaging.RabbitServer#isInstalled")
class RabbitBrokerRetriesTests {

    private static int calls(RabbitApplication shop) {
        return shop.bean(FailingBackend.class).calls();
    }

    @ParameterizedTest
    @EnumSource
    void aQueueWithALimitOfDeliveriesLimitsTheCalls(RetryPlace retry) {
        List<String> properties = retry.properties(RabbitApplication.deliveryLimit(3));
        Class<?> listener = retry.isOnListener ? Retried.class : Listener.class;
        try (RabbitApplication shop = new RabbitApplication(properties, listener, retry.backend)) {
            shop.send("m", FAILING);
            await(() -> shop.dead() == 1);
            assertThat(calls(shop)).isEqualTo(retry.calls(1 + 3));
        }
    }

    @Test
    void aQueueWithoutLimitGetsTheMessageBackUntilTheBackendIsThere() {
        try (RabbitApplication shop = new RabbitApplication(List.of(), OfBackend.class, Backend.class)) {
            Backend backend = shop.bean(Backend.class);
            backend.isDown = true;
            backend.comesBack = 50;
            shop.send("m", "order");
            await(() -> backend.done.contains("order"));
            assertThat(shop.dead()).isZero();
        }
    }

    @Test
    void aQueueWithoutLimitGivesUpAMessageWhoseRetriesHaveRunOut() {
        try (RabbitApplication shop =
                new RabbitApplication(RetryPlace.LISTENER.properties(), Retried.class, FailingBackend.class)) {
            shop.send("m", FAILING);
            await(() -> shop.dead() == 1);
            assertThat(calls(shop)).isEqualTo(3);
            assertThat(shop.takeDead()).containsExactly(FAILING);
        }
    }

    @Test
    void aMessageWhoseCallIsKeptIsAcknowledged() {
        List<String> kept = RetryPlace.LISTENER.properties("resilience.retry.default.dead-letter=true");
        RabbitApplication ended;
        try (RabbitApplication shop = new RabbitApplication(kept, Retried.class, FailingBackend.class)) {
            ended = shop;
            shop.send("m", FAILING);
            await(() -> shop.bean(DeadLetterStore.class).list("default", 10).size() == 1);
            assertThat(calls(shop)).isEqualTo(3);
        }
        assertThat(ended.waiting() + ended.dead()).isZero();
    }

    static class Listener {

        private final FailingBackend backend;

        Listener(FailingBackend backend) {
            this.backend = backend;
        }

        @RabbitListener(queues = "${queue:orders}")
        public void ship(String order) {
            backend.call(order);
        }
    }

    static class Retried extends Listener {

        Retried(FailingBackend backend) {
            super(backend);
        }

        @Override
        @Retryable
        @RabbitListener(queues = "${queue:orders}")
        public void ship(String order) {
            super.ship(order);
        }
    }

    static class OfBackend {

        private final Backend backend;

        OfBackend(Backend backend) {
            this.backend = backend;
        }

        @RabbitListener(queues = "${queue}")
        public void ship(String order) {
            backend.call(order);
        }
    }
}
