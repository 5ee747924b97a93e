package dev.resilience.spring.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceMessagingAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaListener;

/** How long a message waits in its listener that an open circuit breaker refuses, while its container is about to pause. */
class RefusedMessagesTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static void with(boolean pausesListeners, BiConsumer<Listeners, ManualTimeSource> use) {
        Applications.plain(Listeners.class)
                .withConfiguration(SortedOnce.of(ResilienceMessagingAutoConfiguration.class))
                .withPropertyValues("resilience.circuit-breaker.payments.pause-listeners=" + pausesListeners)
                .run(context -> {
                    context.getBean(ResilienceRegistry.class)
                            .circuitBreaker("payments")
                            .forceOpen();
                    CurrentMessage.set("as a container does it");
                    try {
                        use.accept(context.getBean(Listeners.class), context.getBean(ManualTimeSource.class));
                    } finally {
                        CurrentMessage.set(null);
                    }
                });
    }

    private static void assertWait(boolean pausesListeners, BiConsumer<Listeners, String> listener, Duration wait) {
        with(pausesListeners, (listeners, time) -> {
            assertThatThrownBy(() -> listener.accept(listeners, "order")).isNotNull();
            assertThat(time.elapsed()).isEqualTo(wait);
        });
    }

    /** These brokers deliver again at once. */
    @Test
    void oneOfRabbitOrJmsWaitsASecond() {
        assertWait(true, Listeners::onRabbit, SECOND);
        assertWait(true, Listeners::onJms, SECOND);
    }

    @Test
    void aFutureFailsASecondLater() {
        with(true, (listeners, time) -> {
            CompletableFuture<String> later = listeners.onRabbitLater("order");
            assertThat(later).isNotDone();
            time.advance(SECOND);
            assertThat(later).isCompletedExceptionally();
        });
    }

    @Test
    void oneOfKafkaWaitsInItsContainer() {
        assertWait(true, Listeners::onKafka, Duration.ZERO);
    }

    @Test
    void withoutPausesItIsRefusedAtOnce() {
        assertWait(false, Listeners::onRabbit, Duration.ZERO);
        assertWait(false, Listeners::onJms, Duration.ZERO);
    }

    /** It would come again for ever, and the messages behind it would wait. */
    @Test
    void oneThatNoRetryHelpsIsGivenUpThoughTheBreakerIsOpen() {
        with(
                true,
                (listeners, time) -> assertThatExceptionOfType(IdempotencyKeyMissingException.class)
                        .isThrownBy(() -> listeners.withKey("order")));
    }

    /** Code of the application's own gets the refusal itself, at once. */
    @Test
    void aCallThatNoContainerMakesDoesNotWait() {
        with(true, (listeners, time) -> {
            CurrentMessage.set(null);
            assertThatExceptionOfType(CircuitOpenException.class).isThrownBy(() -> listeners.onRabbit("order"));
            assertThat(listeners.onRabbitLater("order"))
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(CircuitOpenException.class);
            assertThat(time.elapsed()).isEqualTo(Duration.ZERO);
        });
    }

    @CircuitBreaker("payments")
    static class Listeners {

        @RabbitListener
        public void onRabbit(String order) {}

        @RabbitListener
        public CompletableFuture<String> onRabbitLater(String order) {
            return CompletableFuture.completedFuture("done");
        }

        @JmsListener(destination = "orders")
        public void onJms(String order) {}

        @KafkaListener
        public void onKafka(String order) {}

        @KafkaListener
        @Idempotent(header = "message-id")
        public void withKey(String order) {}
    }
}
