package dev.resilience.messaging;

import static dev.resilience.messaging.FailingBackend.FAILING;
import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jms.annotation.JmsListener;

/** How often a backend that is down is called for a message of JMS. The broker gives up after three deliveries here. */
class JmsRetriesTests {

    private static JmsApplication shop(String... properties) {
        List<String> all = new ArrayList<>(FailingBackend.THREE_ATTEMPTS);
        all.addAll(Arrays.asList(properties));
        return new JmsApplication(all, Retried.class, FailingBackend.class);
    }

    private static int calls(JmsApplication shop) {
        return shop.bean(FailingBackend.class).calls();
    }

    /** No exception keeps a broker of JMS from delivering again. */
    @Test
    void theAttemptsOfTheListenerMultiplyWithTheDeliveriesOfTheBroker() {
        try (JmsApplication shop = shop()) {
            shop.send("m", FAILING);
            await(() -> shop.waiting(JmsApplication.DEAD) == 1);
            assertThat(calls(shop)).isEqualTo(3 * 3);
        }
    }

    @Test
    void aRetryThatLeavesItToOthersTriesOnceWhatIsDeliveredAgain() {
        try (JmsApplication shop = shop("resilience.retry.default.nested=suppress")) {
            shop.send("m", FAILING);
            await(() -> shop.waiting(JmsApplication.DEAD) == 1);
            assertThat(calls(shop)).isEqualTo(3 + 2);
        }
    }

    @Test
    void aDeadLetterIsAllThatIsKept() {
        try (JmsApplication shop = shop("resilience.retry.default.dead-letter=true")) {
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

    static class Retried {

        private final FailingBackend backend;
        private final Effects effects;

        Retried(FailingBackend backend, Effects effects) {
            this.backend = backend;
            this.effects = effects;
        }

        @Retryable
        @JmsListener(destination = JmsApplication.QUEUE)
        public void ship(String order) {
            backend.call(order);
            effects.add(order);
        }
    }
}
