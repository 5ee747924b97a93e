package dev.resilience.messaging;

import static dev.resilience.messaging.FailingBackend.FAILING;
import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jms.annotation.JmsListener;

/** How often a backend that is down is called for a message of JMS. The broker gives up after three deliveries here. */
class JmsRetriesTests {

    private static int calls(JmsApplication shop) {
        return shop.bean(FailingBackend.class).calls();
    }

    /** No exception keeps a broker of JMS from delivering again: the attempts of a listener multiply. */
    @ParameterizedTest
    @EnumSource
    void theDeliveriesOfTheBrokerLimitTheCalls(RetryPlace retry) {
        Class<?> listener = retry.isOnListener ? Retried.class : Listener.class;
        try (JmsApplication shop = new JmsApplication(retry.properties(), listener, retry.backend)) {
            shop.send("m", FAILING);
            await(() -> shop.waiting(JmsApplication.DEAD) == 1);
            assertThat(calls(shop)).isEqualTo(retry == RetryPlace.LISTENER ? 3 * 3 : retry.calls(3));
        }
    }

    @Test
    void aDeadLetterIsAllThatIsKept() {
        List<String> kept = RetryPlace.LISTENER.properties("resilience.retry.default.dead-letter=true");
        try (JmsApplication shop = new JmsApplication(kept, Retried.class, FailingBackend.class)) {
            shop.send("m", FAILING);
            await(() -> shop.bean(DeadLetterStore.class).list("default", 10).size() == 1);
            shop.send("n", "next");
            await(() -> shop.effects.all().contains("next"));
            assertThat(calls(shop)).isEqualTo(3);
            assertThat(shop.bean(DeadLetterStore.class).list("default", 10)).hasSize(1);
            assertThat(shop.waiting(JmsApplication.QUEUE) + shop.waiting(JmsApplication.DEAD))
                    .isZero();
        }
    }

    static class Listener {

        private final FailingBackend backend;
        private final Effects effects;

        Listener(FailingBackend backend, Effects effects) {
            this.backend = backend;
            this.effects = effects;
        }

        @JmsListener(destination = JmsApplication.QUEUE)
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
        @JmsListener(destination = JmsApplication.QUEUE)
        public void ship(String order) {
            super.ship(order);
        }
    }
}
