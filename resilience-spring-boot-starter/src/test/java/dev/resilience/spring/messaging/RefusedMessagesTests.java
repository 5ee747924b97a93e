package dev.resilience.spring.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.RateLimit;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.exception.RateLimitExceededException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceMessagingAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.ImmediateRequeueAmqpException;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.ApplicationContext;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaListener;

/** How long a message waits in its listener that an open circuit breaker refuses, while the container does not pause. */
class RefusedMessagesTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** While another call is the only probe. */
    private static void with(boolean pausesListeners, BiConsumer<Listeners, ManualTimeSource> use) {
        application(pausesListeners, context -> {
            Listeners listeners = context.getBean(Listeners.class);
            breaker(context).halfOpen();
            listeners.probe(() -> {
                CurrentMessage.set("as a container does it");
                use.accept(listeners, context.getBean(ManualTimeSource.class));
            });
        });
    }

    private static dev.resilience.circuitbreaker.CircuitBreaker breaker(ApplicationContext context) {
        return context.getBean(ResilienceRegistry.class).circuitBreaker("payments");
    }

    private static void application(boolean pausesListeners, ContextConsumer<AssertableApplicationContext> use) {
        Applications.plain(Listeners.class)
                .withConfiguration(SortedOnce.of(ResilienceMessagingAutoConfiguration.class))
                .withPropertyValues("resilience.circuit-breaker.payments.pause-listeners=" + pausesListeners)
                .run(context -> {
                    try {
                        use.accept(context);
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

    /** The container is about to stop, which waits for its listeners. */
    @Test
    void whileTheContainerPausesItIsPutBackAtOnce() {
        application(true, context -> {
            breaker(context).forceOpen();
            CurrentMessage.set("as a container does it");
            Listeners listeners = context.getBean(Listeners.class);
            assertThatExceptionOfType(ImmediateRequeueAmqpException.class)
                    .isThrownBy(() -> listeners.onRabbit("order"));
            assertThat(listeners.onRabbitLater("order"))
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(ImmediateRequeueAmqpException.class);
            assertThat(context.getBean(ManualTimeSource.class).elapsed()).isEqualTo(Duration.ZERO);
        });
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
        application(true, context -> {
            breaker(context).forceOpen();
            CurrentMessage.set("as a container does it");
            assertThatExceptionOfType(IdempotencyKeyMissingException.class)
                    .isThrownBy(() -> context.getBean(Listeners.class).withKey("order"));
        });
    }

    /** These brokers would deliver again at once, and count deliveries. */
    @Test
    void oneThatARateLimitRefusesKeepsItsDeliveryUntilThereIsAPermit() {
        Applications.plain(Limited.class)
                .withConfiguration(SortedOnce.of(ResilienceMessagingAutoConfiguration.class))
                .withPropertyValues("resilience.rate-limit.orders.permits=2", "resilience.rate-limit.orders.burst=1")
                .run(context -> {
                    Limited limited = context.getBean(Limited.class);
                    ManualTimeSource time = context.getBean(ManualTimeSource.class);
                    CurrentMessage.set("as a container does it");
                    try {
                        limited.onRabbit("order");
                        limited.onRabbit("order");
                        assertThat(time.elapsed()).isEqualTo(SECOND.dividedBy(2));
                        limited.onJms("order");
                        assertThat(time.elapsed()).isEqualTo(SECOND);
                        assertThatExceptionOfType(RateLimitExceededException.class)
                                .isThrownBy(() -> limited.onKafka("order"));
                        assertThat(time.elapsed()).isEqualTo(SECOND);
                        CompletableFuture<String> later = limited.onRabbitLater("order");
                        time.advance(SECOND);
                        assertThat(later)
                                .failsWithin(Duration.ofSeconds(30))
                                .withThrowableThat()
                                .havingCause()
                                .isInstanceOf(ImmediateRequeueAmqpException.class);
                    } finally {
                        CurrentMessage.set(null);
                    }
                });
    }

    @RateLimit("orders")
    static class Limited {

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

        public void probe(Runnable meanwhile) {
            meanwhile.run();
        }

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
