package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static dev.resilience.messaging.PausedListenersTests.BREAKER;
import static dev.resilience.messaging.PausedListenersTests.breaker;
import static dev.resilience.messaging.PausedListenersTests.openings;
import static dev.resilience.messaging.PausedListenersTests.pausing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.messaging.PausedListenersTests.Backend;
import dev.resilience.messaging.PausedListenersTests.OfKafka;
import dev.resilience.messaging.PausedQueuesTests.OfJms;
import dev.resilience.messaging.PausedQueuesTests.OfRabbit;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.listener.ContainerUtils;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaListener;

/** Listeners with a retry of their own, and a circuit breaker with {@code pause-listeners}. */
class PausedRetriesTests {

    private static final Log LOG = LogFactory.getLog(PausedRetriesTests.class);

    private static List<String> retried(List<String> properties) {
        List<String> all = new ArrayList<>(properties);
        all.add("resilience.retry.default.max-attempts=2");
        all.add("resilience.retry.default.backoff.base-delay=1ms");
        all.add("resilience.retry.default.retry-on=java.lang.IllegalStateException");
        return all;
    }

    /** Its retry takes the place of the container's, and has tried all that it may. */
    @Test
    void aMessageOfRabbitWhoseRetriesRunOutIsPutBackIfTheBreakerIsOpen() {
        try (RabbitDeliveries shop = new RabbitDeliveries(
                retried(pausing(BREAKER + "failure-threshold=2")), RetriedOfRabbit.class, Backend.class)) {
            shop.bean(Backend.class).isDown = true;
            assertThat(isRequeued(shop)).isFalse();
            assertThat(isRequeued(shop)).isTrue();
        }
    }

    @Test
    void withoutTheKeyItIsRejected() {
        try (RabbitDeliveries shop = new RabbitDeliveries(
                retried(List.of(BREAKER + "failure-threshold=1")), RetriedOfRabbit.class, Backend.class)) {
            shop.bean(Backend.class).isDown = true;
            assertThat(isRequeued(shop)).isFalse();
        }
    }

    private static boolean isRequeued(RabbitDeliveries shop) {
        return ContainerUtils.shouldRequeue(true, catchThrowable(() -> shop.deliver(null, "order")), LOG);
    }

    /** The attempts of its retry are one failure for the breaker and one delivery of the broker. */
    @Test
    void aMessageOfJmsWhoseRetriesRunOutComesAgainWhenTheBreakerLetsItTry() {
        try (JmsApplication shop = new JmsApplication(
                retried(pausing(BREAKER + "failure-threshold=1")), RetriedOfJms.class, Backend.class)) {
            Backend backend = shop.bean(Backend.class);
            backend.isDown = true;
            backend.comesBack = 3;
            shop.send(null, "order");
            await(() -> backend.done.contains("order"));
            assertThat(openings(shop.context)).isEqualTo(1);
            assertThat(shop.waiting(JmsApplication.DEAD)).isZero();
        }
    }

    /** Though the error handler would give a failure up at once. */
    @Test
    void aMessageOfKafkaWhoseRetriesRunOutComesAgainWhenTheBreakerLetsItTry() {
        try (KafkaApplication shop = new KafkaApplication(
                retried(pausing(BREAKER + "failure-threshold=1")),
                RetriedOfKafka.class,
                Backend.class,
                KafkaApplication.GivenUp.class,
                KafkaOutcomesTests.GivesUpAtOnce.class)) {
            Backend backend = shop.bean(Backend.class);
            backend.isDown = true;
            backend.comesBack = 5;
            shop.send(null, "order");
            await(() -> backend.done.contains("order"));
            assertThat(shop.bean(KafkaApplication.GivenUp.class).all).isEmpty();
        }
    }

    @Test
    void aCallThatNoContainerMakesGetsTheRefusalItself() {
        try (RabbitDeliveries shop = new RabbitDeliveries(retried(pausing()), RetriedOfRabbit.class, Backend.class)) {
            breaker(shop.context).forceOpen();
            assertThatExceptionOfType(CircuitOpenException.class)
                    .isThrownBy(() -> shop.bean(RetriedOfRabbit.class).ship("order"));
        }
    }

    static class RetriedOfKafka extends OfKafka {

        RetriedOfKafka(Backend backend) {
            super(backend);
        }

        @Override
        @KafkaListener(topics = "${topic}")
        @CircuitBreaker("backend")
        @Retryable
        public void ship(String order) {
            super.ship(order);
        }
    }

    static class RetriedOfJms extends OfJms {

        RetriedOfJms(Backend backend) {
            super(backend);
        }

        @Override
        @JmsListener(destination = JmsApplication.QUEUE)
        @CircuitBreaker("backend")
        @Retryable
        public void ship(String order) {
            super.ship(order);
        }
    }

    static class RetriedOfRabbit extends OfRabbit {

        RetriedOfRabbit(Backend backend) {
            super(backend);
        }

        @Override
        @RabbitListener(queues = "orders")
        @CircuitBreaker("backend")
        @Retryable
        public void ship(String order) {
            super.ship(order);
        }
    }
}
