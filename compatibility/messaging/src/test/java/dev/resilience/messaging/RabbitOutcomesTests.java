package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyKeyReusedException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.listener.ContainerUtils;
import org.springframework.amqp.rabbit.annotation.RabbitListener;

/** What a container of RabbitMQ gets when an idempotent listener refuses a message. */
class RabbitOutcomesTests {

    private static final Log LOG = LogFactory.getLog(RabbitOutcomesTests.class);

    private static boolean isRequeued(Throwable told) {
        return ContainerUtils.shouldRequeue(true, told, LOG);
    }

    @Test
    void aMessageInProgressWaitsInItsListener() {
        try (RabbitDeliveries shop =
                new RabbitDeliveries(List.of("resilience.idempotency.default.lease=200ms"), ByHeader.class)) {
            CompletableFuture<Void> first = shop.effects.runSlowly(() -> shop.deliver("m", Effects.SLOW));
            CompletableFuture<Void> second =
                    CompletableFuture.runAsync(() -> shop.deliver("m", Effects.SLOW), Effects.OWN_THREAD);
            await(() -> shop.outcomes("in_progress") > 2);
            assertThat(second).isNotDone();
            shop.effects.endSlow();
            CompletableFuture.allOf(first, second)
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
            assertThat(shop.effects.all()).containsExactly(Effects.SLOW);
            assertThat(shop.outcomes("replayed")).isEqualTo(1);
        }
    }

    @Test
    void anInterruptedWaitPutsTheMessageBack() throws InterruptedException {
        try (RabbitDeliveries shop = new RabbitDeliveries(List.of(), ByHeader.class)) {
            CompletableFuture<Void> first = shop.effects.runSlowly(() -> shop.deliver("m", Effects.SLOW));
            CompletableFuture<Throwable> told = new CompletableFuture<>();
            Thread second = new Thread(() -> told.complete(catchThrowable(() -> shop.deliver("m", Effects.SLOW))));
            second.start();
            await(() -> shop.outcomes("in_progress") == 1);
            second.interrupt();
            assertThat(ContainerUtils.shouldRequeue(false, told.join(), LOG)).isTrue();
            shop.effects.endSlow();
            first.join();
        }
    }

    @Test
    void aKeyOfAnotherMessageIsRejectedForGood() {
        try (RabbitDeliveries shop = new RabbitDeliveries(List.of(), ByHeader.class)) {
            shop.deliver("m", "1");
            Throwable told = catchThrowable(() -> shop.deliver("m", "2"));
            assertThat(isRequeued(told)).isFalse();
            assertThat(told).hasRootCauseInstanceOf(IdempotencyKeyReusedException.class);
        }
    }

    @Test
    void aMissingOrInvalidKeyIsRejectedForGood() {
        try (RabbitDeliveries shop = new RabbitDeliveries(List.of(), ByHeader.class)) {
            assertThat(isRequeued(catchThrowable(() -> shop.deliver(null, "1"))))
                    .isFalse();
            assertThat(isRequeued(catchThrowable(() -> shop.deliver("", "1")))).isFalse();
        }
    }

    @Test
    void aStoreThatIsDownIsAFailureLikeAnyOther() {
        try (RabbitDeliveries shop = new RabbitDeliveries(List.of(), ByHeader.class, FailingStore.class)) {
            assertThat(isRequeued(catchThrowable(() -> shop.deliver("m", "1")))).isTrue();
        }
    }

    @Test
    void codeThatCallsAnAsynchronousListenerItselfGetsTheRefusalAsItIs() {
        try (RabbitDeliveries shop = new RabbitDeliveries(List.of(), Later.class)) {
            Later listener = shop.bean(Later.class);
            listener.ship("1", "m").join();
            assertThat(listener.ship("2", "m"))
                    .failsWithin(30, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(IdempotencyKeyReusedException.class);
        }
    }

    /** It knows the refusal as it is, and is not asked for those that concern the message's own key. */
    @Test
    void aFallbackStandsInsideOfWhatTheContainerIsTold() {
        try (RabbitDeliveries shop = new RabbitDeliveries(List.of(), WithFallback.class)) {
            shop.deliver("m", "1");
            shop.deliver("m", "2");
            assertThat(shop.effects.all()).containsExactly("1", "reused 2");
        }
    }

    static class ByHeader {

        private final Effects effects;

        ByHeader(Effects effects) {
            this.effects = effects;
        }

        @RabbitListener(queues = "orders")
        @Idempotent(header = "message-id")
        public void ship(String order) {
            effects.add(order);
        }
    }

    static class Later {

        @RabbitListener(queues = "orders")
        @Idempotent(key = "#id")
        public CompletableFuture<String> ship(
                String order, @org.springframework.messaging.handler.annotation.Header("message-id") String id) {
            return CompletableFuture.completedFuture(order);
        }
    }

    static class WithFallback {

        private final Effects effects;

        WithFallback(Effects effects) {
            this.effects = effects;
        }

        @RabbitListener(queues = "orders")
        @Idempotent(header = "message-id")
        @Fallback(value = "reused", on = IdempotencyKeyReusedException.class)
        public void ship(String order) {
            effects.add(order);
        }

        void reused(String order) {
            effects.add("reused " + order);
        }
    }
}
