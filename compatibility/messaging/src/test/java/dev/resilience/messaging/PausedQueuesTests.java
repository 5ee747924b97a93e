package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static dev.resilience.messaging.PausedListenersTests.BREAKER;
import static dev.resilience.messaging.PausedListenersTests.breaker;
import static dev.resilience.messaging.PausedListenersTests.openings;
import static dev.resilience.messaging.PausedListenersTests.pausing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.messaging.PausedListenersTests.Backend;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.context.Lifecycle;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.JmsListenerEndpointRegistry;

/** Listeners of JMS and RabbitMQ whose circuit breaker has {@code pause-listeners}: their containers stop while it is open. */
class PausedQueuesTests {

    private static final int MESSAGES = 300;

    private static <C extends Lifecycle> C only(Collection<C> containers) {
        return containers.iterator().next();
    }

    /** Its broker gives a message up after three deliveries. */
    @Test
    void aQueueOfJmsWaitsForTheBackendWithoutDeadLetters() {
        try (JmsApplication shop =
                new JmsApplication(pausing(BREAKER + "failure-threshold=2"), OfJms.class, Backend.class)) {
            Backend backend = shop.bean(Backend.class);
            backend.isDown = true;
            backend.comesBack = 2;
            for (int i = 0; i < MESSAGES; i++) {
                shop.send(null, "order " + i);
            }
            await(() -> backend.done.size() == MESSAGES);
            assertThat(openings(shop.context)).isEqualTo(1);
            assertThat(shop.waiting(JmsApplication.DEAD)).isZero();
        }
    }

    @Test
    @Timeout(25)
    void aStoppedContainerOfJmsDoesNotStartWithTheEnd() {
        Lifecycle container;
        try (JmsApplication shop = new JmsApplication(pausing(), OfJms.class, Backend.class)) {
            container = only(shop.bean(JmsListenerEndpointRegistry.class).getListenerContainers());
            breaker(shop.context).forceOpen();
            assertThat(container.isRunning()).isFalse();
            dev.resilience.circuitbreaker.CircuitBreaker breaker = breaker(shop.context);
            shop.bean(Backend.class).atTheEnd = breaker::close;
        }
        assertThat(container.isRunning()).isFalse();
    }

    @Test
    void aContainerOfRabbitStopsAndStarts() {
        try (RabbitDeliveries shop = new RabbitDeliveries(
                List.of(
                        BREAKER + "failure-threshold=2",
                        BREAKER + "open-duration=3s",
                        BREAKER + "pause-listeners=true"),
                OfRabbit.class,
                Backend.class)) {
            Lifecycle container =
                    only(shop.bean(RabbitListenerEndpointRegistry.class).getListenerContainers());
            shop.bean(Backend.class).isDown = true;
            assertThat(catchThrowable(() -> shop.deliver(null, "order"))).isNotNull();
            assertThat(container.isRunning()).isTrue();
            assertThat(catchThrowable(() -> shop.deliver(null, "order"))).isNotNull();
            await(() -> !container.isRunning());
            shop.bean(Backend.class).isDown = false;
            await(container::isRunning);
            shop.deliver(null, "order");
            assertThat(shop.bean(Backend.class).done).containsExactly("order");
        }
    }

    @Test
    void aContainerThatTheApplicationHasStoppedIsNotStarted() {
        try (RabbitDeliveries shop = new RabbitDeliveries(pausing(), OfRabbit.class, Backend.class)) {
            Lifecycle container =
                    only(shop.bean(RabbitListenerEndpointRegistry.class).getListenerContainers());
            container.stop();
            breaker(shop.context).forceOpen();
            breaker(shop.context).close();
            assertThat(container.isRunning()).isFalse();
        }
    }

    /** It is down for many probes, each of which is put back. */
    @Test
    @EnabledIf("dev.resilience.messaging.RabbitServer#isInstalled")
    void aQueueOfRabbitWaitsForTheBackendWithoutDeadLetters() {
        try (RabbitApplication shop = new RabbitApplication(pausing(), OfRabbit.class, Backend.class)) {
            Lifecycle container =
                    only(shop.bean(RabbitListenerEndpointRegistry.class).getListenerContainers());
            Backend backend = shop.bean(Backend.class);
            backend.isDown = true;
            for (int i = 0; i < MESSAGES; i++) {
                shop.send(null, "order " + i);
            }
            await(() -> !container.isRunning());
            await(() -> openings(shop.context) > 12);
            assertThat(backend.done).isEmpty();
            backend.isDown = false;
            await(() -> backend.done.size() == MESSAGES);
            assertThat(container.isRunning()).isTrue();
            assertThat(shop.dead()).isZero();
        }
    }

    static class OfJms {

        private final Backend backend;

        OfJms(Backend backend) {
            this.backend = backend;
        }

        @JmsListener(destination = JmsApplication.QUEUE)
        @CircuitBreaker("backend")
        public void ship(String order) {
            backend.call(order);
        }
    }

    static class OfRabbit {

        private final Backend backend;

        OfRabbit(Backend backend) {
            this.backend = backend;
        }

        @RabbitListener(queues = "${queue:orders}")
        @CircuitBreaker("backend")
        public void ship(String order) {
            backend.call(order);
        }
    }
}
