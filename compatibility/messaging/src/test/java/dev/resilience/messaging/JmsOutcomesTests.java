package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jms.annotation.JmsListener;

/** What a broker of JMS does when an idempotent listener refuses a message. It gives up after three deliveries here. */
class JmsOutcomesTests {

    private static final List<String> SHORT_LEASE = List.of("resilience.idempotency.default.lease=200ms");

    @Test
    void aMessageInProgressWaitsInItsListenerAndIsNeverGivenUp() {
        try (JmsApplication shop = new JmsApplication(SHORT_LEASE, Shipping.class)) {
            CompletableFuture<Void> running =
                    shop.effects.runSlowly(() -> shop.bean(Shipping.class).ship(Effects.SLOW));
            shop.send("m", Effects.SLOW);
            await(() -> shop.outcomes("in_progress") > 3);
            shop.effects.endSlow();
            running.join();
            shop.send("n", "next");
            await(() -> shop.effects.all().contains("next"));
            assertThat(shop.effects.all()).containsExactly(Effects.SLOW, "next");
            assertThat(shop.outcomes("replayed")).isEqualTo(1);
            assertThat(shop.waiting(JmsApplication.DEAD)).isZero();
        }
    }

    @Test
    void aKeyOfAnotherMessageIsGivenUpByTheBroker() {
        try (JmsApplication shop = new JmsApplication(List.of(), ByProperty.class)) {
            shop.send("m", "1");
            shop.send("m", "2");
            await(() -> shop.waiting(JmsApplication.DEAD) == 1);
            assertThat(shop.effects.all()).containsExactly("1");
            assertThat(shop.outcomes("key_reused")).isEqualTo(3);
        }
    }

    @Test
    @Timeout(25) // Boot gives a container that goes on waiting 30 seconds
    void theApplicationEndsAlthoughAMessageIsInProgress() {
        CompletableFuture<Void> running;
        Effects effects;
        try (JmsApplication shop = new JmsApplication(SHORT_LEASE, Shipping.class)) {
            effects = shop.effects;
            running = effects.runSlowly(() -> shop.bean(Shipping.class).ship(Effects.SLOW));
            shop.send("m", Effects.SLOW);
            await(() -> shop.outcomes("in_progress") > 0);
        }
        assertThat(running).isNotDone();
        effects.endSlow();
        running.join();
    }

    static class Shipping {

        private final Effects effects;

        Shipping(Effects effects) {
            this.effects = effects;
        }

        @JmsListener(destination = JmsApplication.QUEUE)
        @Idempotent(key = "#order")
        public void ship(String order) {
            effects.add(order);
        }
    }

    static class ByProperty {

        private final Effects effects;

        ByProperty(Effects effects) {
            this.effects = effects;
        }

        @JmsListener(destination = JmsApplication.QUEUE)
        @Idempotent(header = "messageId")
        public void ship(String order) {
            effects.add(order);
        }
    }
}
