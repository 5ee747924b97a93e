package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyInProgressException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.RecordInterceptor;
import org.springframework.util.backoff.FixedBackOff;

/** What a container of Kafka does when an idempotent listener refuses a message. */
class KafkaOutcomesTests {

    private static final List<String> SHORT_LEASE = List.of("resilience.idempotency.default.lease=300ms");

    /** Also where the application gives every failure up at once, or wants no seeks. */
    @ParameterizedTest
    @ValueSource(classes = {Deliveries.class, GivesUpAtOnce.class, WithoutSeeks.class})
    void aMessageInProgressComesAgainWhenItsLeaseIsOverAndIsNeverGivenUp(Class<?> handler) {
        try (KafkaApplication shop = new KafkaApplication(SHORT_LEASE, Shipping.class, Deliveries.class, handler)) {
            Effects effects = shop.effects;
            Deliveries deliveries = shop.bean(Deliveries.class);
            CompletableFuture<Void> running =
                    effects.runSlowly(() -> shop.bean(Shipping.class).ship(Effects.SLOW));
            shop.send(null, Effects.SLOW);
            await(() -> deliveries.refused.size() > 10); // more than Kafka would try
            effects.endSlow();
            shop.send(null, "next");
            await(() -> effects.all().contains("next"));
            running.join();
            assertThat(effects.all()).containsExactly(Effects.SLOW, "next");
            assertThat(deliveries.recovered).isEmpty();
            assertThat(shop.outcomes("replayed")).isEqualTo(1);
            assertThat(deliveries.tooEarly()).isEmpty();
        }
    }

    @Test
    void otherPartitionsGoOnMeanwhile() {
        try (KafkaApplication shop = new KafkaApplication(List.of(), Shipping.class)) {
            CompletableFuture<Void> running =
                    shop.effects.runSlowly(() -> shop.bean(Shipping.class).ship(Effects.SLOW));
            shop.send(null, Effects.SLOW);
            await(() -> shop.outcomes("in_progress") == 1);
            shop.sendToOtherPartition("other");
            await(() -> shop.effects.all().contains("other"));
            assertThat(shop.outcomes("in_progress")).isEqualTo(1);
            shop.effects.endSlow();
            running.join();
        }
    }

    @Test
    void aKeyOfAnotherMessageIsGivenUpAtOnce() {
        try (KafkaApplication shop = new KafkaApplication(List.of(), ByHeader.class, Deliveries.class)) {
            shop.send("m", "1");
            shop.send("m", "2");
            shop.send("n", "3");
            await(() -> shop.effects.all().contains("3"));
            assertThat(shop.effects.all()).containsExactly("1", "3");
            assertThat(shop.bean(Deliveries.class).recovered).containsExactly("2");
            assertThat(shop.bean(Deliveries.class).all).containsExactly("1", "2", "3");
        }
    }

    @Test
    void aMissingOrInvalidKeyIsGivenUpAtOnce() {
        try (KafkaApplication shop = new KafkaApplication(List.of(), ByHeader.class, Deliveries.class)) {
            shop.send(null, "1");
            shop.send("", "2");
            shop.send("n", "3");
            await(() -> shop.effects.all().contains("3"));
            assertThat(shop.bean(Deliveries.class).recovered).containsExactly("1", "2");
            assertThat(shop.bean(Deliveries.class).all).containsExactly("1", "2", "3");
        }
    }

    @Test
    void aStoreThatIsDownIsAFailureLikeAnyOther() {
        try (KafkaApplication shop =
                new KafkaApplication(List.of(), ByHeader.class, Deliveries.class, FailingStore.class)) {
            shop.send("m", "1");
            await(() -> shop.effects.all().contains("1"));
            assertThat(shop.bean(Deliveries.class).all).containsExactly("1", "1", "1");
            assertThat(shop.bean(Deliveries.class).recovered).isEmpty();
        }
    }

    /** With transactions of Kafka the processor after the rollback decides. */
    @Test
    void withTransactionsOfKafkaThereIsNone() {
        List<String> transactional = List.of("spring.kafka.producer.transaction-id-prefix=shop-");
        try (KafkaApplication shop = new KafkaApplication(transactional, ByHeader.class)) {
            assertThat(KafkaApplication.errorHandler(shop.bean(ConcurrentKafkaListenerContainerFactory.class)))
                    .isNull();
        }
    }

    static class Shipping {

        private final Effects effects;

        Shipping(Effects effects) {
            this.effects = effects;
        }

        @KafkaListener(topics = "${topic}")
        @Idempotent(key = "#order")
        public void ship(String order) {
            effects.add(order);
        }
    }

    static class ByHeader {

        private final Effects effects;

        ByHeader(Effects effects) {
            this.effects = effects;
        }

        @KafkaListener(topics = "${topic}")
        @Idempotent(header = "message-id")
        public void ship(String order) {
            effects.add(order);
        }
    }

    /** All deliveries, and what became of those that were refused. */
    static class Deliveries implements RecordInterceptor<Object, Object>, SmartInitializingSingleton {

        final List<String> all = new CopyOnWriteArrayList<>();
        final List<String> recovered = new CopyOnWriteArrayList<>();
        final List<Refusal> refused = new CopyOnWriteArrayList<>();
        private final List<Duration> tooEarly = new CopyOnWriteArrayList<>();
        private final ObjectProvider<ConcurrentKafkaListenerContainerFactory<?, ?>> containers;

        record Refusal(long nanoTime, Duration retryAfter) {}

        Deliveries(ObjectProvider<ConcurrentKafkaListenerContainerFactory<?, ?>> containers) {
            this.containers = containers;
        }

        @Override
        public void afterSingletonsInstantiated() {
            KafkaApplication.collect(containers.getObject(), recovered);
        }

        List<Duration> tooEarly() {
            return tooEarly;
        }

        @Override
        public ConsumerRecord<Object, Object> intercept(
                ConsumerRecord<Object, Object> message, Consumer<Object, Object> consumer) {
            all.add((String) message.value());
            if (!refused.isEmpty() && message.value().equals(Effects.SLOW)) {
                Refusal last = refused.get(refused.size() - 1);
                Duration waited = Duration.ofNanos(System.nanoTime() - last.nanoTime);
                if (waited.compareTo(last.retryAfter) < 0) {
                    tooEarly.add(waited);
                }
            }
            return message;
        }

        @Override
        public void failure(
                ConsumerRecord<Object, Object> message, Exception failure, Consumer<Object, Object> consumer) {
            if (failure.getCause() instanceof IdempotencyInProgressException inProgress) {
                refused.add(new Refusal(System.nanoTime(), inProgress.retryAfter()));
            }
        }
    }

    static class GivesUpAtOnce {

        @Bean
        DefaultErrorHandler ofApplication() {
            return new DefaultErrorHandler(new FixedBackOff(0, 0));
        }
    }

    static class WithoutSeeks {

        @Bean
        DefaultErrorHandler ofApplication() {
            DefaultErrorHandler handler = new DefaultErrorHandler(new FixedBackOff(0, 9));
            handler.setSeekAfterError(false);
            return handler;
        }
    }
}
