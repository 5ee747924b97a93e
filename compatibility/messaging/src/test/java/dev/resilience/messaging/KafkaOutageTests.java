package dev.resilience.messaging;

import static dev.resilience.messaging.FailingBackend.FAILING;
import static dev.resilience.messaging.KafkaApplication.await;
import static dev.resilience.messaging.KafkaRetriesTests.calls;
import static dev.resilience.messaging.KafkaRetriesTests.failed;
import static dev.resilience.messaging.KafkaRetriesTests.recovered;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.messaging.KafkaOutcomesTests.Deliveries;
import dev.resilience.messaging.KafkaRetriesTests.Listener;
import dev.resilience.messaging.KafkaRetriesTests.Retried;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How often a backend that is down is called for a message of Kafka. */
class KafkaOutageTests {

    /** The container delivers a message ten times. */
    @ParameterizedTest
    @EnumSource
    void theCallsAreAsManyAsTheDocsSay(RetryPlace retry) {
        Class<?> listener = retry.isOnListener ? Retried.class : Listener.class;
        try (KafkaApplication shop = failed(retry.properties(), listener, retry.backend)) {
            assertThat(calls(shop)).isEqualTo(retry.calls(10));
            assertThat(recovered(shop)).containsExactly(FAILING);
        }
    }

    /** A backend that is down may fail in several ways, and the container counts them together. */
    @ParameterizedTest
    @EnumSource(names = {"CONTAINER_ALONE", "ONE_ATTEMPT", "LISTENER_WITH_SUPPRESS"})
    void aBackendThatFailsInTurnsGetsNoMoreCalls(RetryPlace retry) {
        Class<?> listener = retry.isOnListener ? Retried.class : Listener.class;
        List<String> properties = retry.properties("resilience.retry.default.retry-on=java.lang.RuntimeException");
        try (KafkaApplication shop = failed(properties, listener, InTurns.class)) {
            assertThat(calls(shop)).isEqualTo(retry.calls(10));
            assertThat(recovered(shop)).containsExactly(FAILING);
        }
    }

    /** Fails one time so, the next time so. */
    static class InTurns extends FailingBackend {

        private final AtomicInteger failures = new AtomicInteger();

        @Override
        public void call(String order) {
            try {
                super.call(order);
            } catch (IllegalStateException down) {
                throw failures.incrementAndGet() % 2 == 0 ? down : new UnsupportedOperationException(down);
            }
        }
    }

    /** Each message is handled or given up, with no more calls than if the backend had been down for ever. */
    @Test
    void anOutageCostsNoMessageMoreCalls() {
        RetryPlace retry = RetryPlace.LISTENER_WITH_SUPPRESS;
        try (KafkaApplication shop = new KafkaApplication(
                retry.properties("spring.kafka.listener.concurrency=3"),
                Retried.class,
                Outage.class,
                Deliveries.class)) {
            List<String> orders =
                    IntStream.range(0, 60).mapToObj(i -> "order " + i).toList();
            for (int i = 0; i < orders.size(); i++) {
                shop.sendTo(i % 3, null, orders.get(i));
            }
            await(() -> shop.isAllAcknowledged());
            List<String> ends = new ArrayList<>(shop.effects.all());
            ends.addAll(recovered(shop));
            assertThat(ends).containsExactlyInAnyOrderElementsOf(orders);
            assertThat(recovered(shop)).isNotEmpty();
            assertThat(shop.bean(Outage.class).calls.values())
                    .allSatisfy(calls -> assertThat(calls).isLessThanOrEqualTo(retry.calls(10)));
        }
    }

    /** Is down for its first 60 calls, for whatever message. */
    static class Outage extends FailingBackend {

        final Map<String, Integer> calls = new ConcurrentHashMap<>();
        private final AtomicInteger allCalls = new AtomicInteger();

        @Override
        public void call(String order) {
            calls.merge(order, 1, Integer::sum);
            if (allCalls.incrementAndGet() <= 60) {
                throw new IllegalStateException("is down");
            }
        }
    }
}
