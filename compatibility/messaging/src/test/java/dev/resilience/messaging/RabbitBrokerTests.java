package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.messaging.handler.annotation.Header;

/** What RabbitMQ itself does with a message that an idempotent listener refuses. */
@EnabledIf("dev.resilience.messaging.RabbitServer#isInstalled")
class RabbitBrokerTests {

    private static final String SHORT_LEASE = "resilience.idempotency.default.lease=200ms";
    private static final String TWO_CONSUMERS = "spring.rabbitmq.listener.simple.concurrency=2";
    private static final String NOTHING_FETCHED_AHEAD = "spring.rabbitmq.listener.simple.prefetch=1";

    /** Of a quorum queue too, which would give it up after two deliveries more. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void aMessageInProgressKeepsItsDeliveryAndIsHandledAgain(int deliveryLimit) {
        try (RabbitApplication shop = new RabbitApplication(
                List.of(
                        SHORT_LEASE,
                        TWO_CONSUMERS,
                        NOTHING_FETCHED_AHEAD,
                        RabbitApplication.deliveryLimit(deliveryLimit)),
                ByHeader.class)) {
            shop.effects.runSlowly(() -> shop.send("m", Effects.SLOW)).join();
            shop.send("m", Effects.SLOW);
            await(() -> shop.outcomes("in_progress") > 4);
            shop.effects.endSlow();
            await(() -> shop.outcomes("replayed") == 1);
            shop.send("n", "next");
            await(() -> shop.effects.all().contains("next"));
            assertThat(shop.effects.all()).containsExactly(Effects.SLOW, "next");
            assertThat(shop.dead()).isZero();
        }
    }

    @Test
    @Timeout(25) // Boot gives a container that goes on waiting 30 seconds
    void aMessageInProgressGoesBackWhenTheApplicationEnds() {
        CompletableFuture<Void> running;
        RabbitApplication ended;
        try (RabbitApplication shop = new RabbitApplication(List.of(SHORT_LEASE), ByOrder.class)) {
            ended = shop;
            running = shop.effects.runSlowly(() -> shop.bean(ByOrder.class).ship(Effects.SLOW));
            shop.send("m", Effects.SLOW);
            await(() -> shop.outcomes("in_progress") > 0);
        }
        ended.effects.endSlow();
        running.join();
        await(() -> ended.waiting() == 1);
        assertThat(ended.dead()).isZero();
    }

    @Test
    void aKeyOfAnotherMessageGoesToTheDeadLettersAtOnce() {
        try (RabbitApplication shop = new RabbitApplication(List.of(), ByHeader.class)) {
            shop.send("m", "1");
            shop.send("m", "2");
            shop.send("n", "3");
            await(() -> shop.effects.all().contains("3"));
            await(() -> shop.dead() == 1);
            assertThat(shop.takeDead()).containsExactly("2");
            assertThat(shop.effects.all()).containsExactly("1", "3");
            assertThat(shop.outcomes("key_reused")).isEqualTo(1);
        }
    }

    @Test
    void aMissingOrInvalidKeyGoesToTheDeadLetters() {
        try (RabbitApplication shop = new RabbitApplication(List.of(), ByHeader.class)) {
            shop.send(null, "1");
            shop.send("", "2");
            shop.send("n", "3");
            await(() -> shop.effects.all().contains("3"));
            await(() -> shop.dead() == 2);
            assertThat(shop.takeDead()).containsExactlyInAnyOrder("1", "2");
            assertThat(shop.effects.all()).containsExactly("3");
        }
    }

    @Test
    void aMessageIsPutBackWhileTheStoreIsDown() {
        try (RabbitApplication shop = new RabbitApplication(List.of(), ByHeader.class, FailingStore.class)) {
            shop.send("m", "1");
            await(() -> shop.effects.all().contains("1"));
            assertThat(shop.outcomes("store_failure")).isEqualTo(2);
            assertThat(shop.dead()).isZero();
        }
    }

    /** It holds no thread: its container handles other messages. */
    @Test
    void aMessageInProgressOfAnAsynchronousListenerComesAgain() {
        try (RabbitApplication shop = new RabbitApplication(List.of(SHORT_LEASE), Later.class)) {
            shop.effects.runSlowly(() -> shop.send("m", Effects.SLOW)).join();
            shop.send("m", Effects.SLOW);
            await(() -> shop.outcomes("in_progress") > 4);
            shop.send("n", "next");
            await(() -> shop.effects.all().contains("next"));
            shop.effects.endSlow();
            await(() -> shop.outcomes("replayed") == 1);
            assertThat(shop.effects.all()).containsExactly("next", Effects.SLOW);
            assertThat(shop.dead()).isZero();
        }
    }

    static class ByHeader {

        private final Effects effects;

        ByHeader(Effects effects) {
            this.effects = effects;
        }

        @RabbitListener(queues = "${queue}")
        @Idempotent(header = "message-id")
        public void ship(String order) {
            effects.add(order);
        }
    }

    static class ByOrder {

        private final Effects effects;

        ByOrder(Effects effects) {
            this.effects = effects;
        }

        @RabbitListener(queues = "${queue}")
        @Idempotent(key = "#order")
        public void ship(String order) {
            effects.add(order);
        }
    }

    static class Later {

        private final Effects effects;

        Later(Effects effects) {
            this.effects = effects;
        }

        @RabbitListener(queues = "${queue}")
        @Idempotent(key = "#id")
        public CompletableFuture<Void> ship(String order, @Header("amqp_messageId") String id) {
            return CompletableFuture.runAsync(() -> effects.add(order), Effects.OWN_THREAD);
        }
    }
}
