package dev.resilience.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.RecordInterceptor;

/** A message of Kafka that comes more than once has one effect. */
class KafkaDuplicatesTests {

    @Test
    void aKeyFromTheMessageItselfMakesAListenerIdempotent() {
        try (KafkaApplication shop = new KafkaApplication(List.of(), ByValue.class)) {
            shop.send(null, "1");
            shop.send(null, "1");
            shop.send(null, "2");
            KafkaApplication.await(() -> shop.bean(ByValue.class).shipped().contains("2"));
            assertThat(shop.bean(ByValue.class).shipped()).containsExactly("1", "2");
        }
    }

    /** The container tells the listener which record it handles. */
    @Test
    void theHeaderNeedNotBeAnArgument() {
        try (KafkaApplication shop = new KafkaApplication(List.of(), ByHeader.class)) {
            shop.send("m", "1");
            shop.send("m", "1");
            shop.send("n", "2");
            KafkaApplication.await(() -> shop.bean(ByHeader.class).shipped().contains("2"));
            assertThat(shop.bean(ByHeader.class).shipped()).containsExactly("1", "2");
        }
    }

    @Test
    void anInterceptorOfTheApplicationStaysInPlace() {
        try (KafkaApplication shop = new KafkaApplication(List.of(), ByHeader.class, Intercepting.class)) {
            shop.send("m", "1");
            KafkaApplication.await(() -> shop.bean(ByHeader.class).shipped().contains("1"));
            assertThat(shop.bean(Intercepting.class).seen()).containsExactly("1");
        }
    }

    static class ByHeader {

        private final List<String> shipped = new CopyOnWriteArrayList<>();

        List<String> shipped() {
            return shipped;
        }

        @KafkaListener(topics = "${topic}")
        @Idempotent(header = "message-id")
        public void ship(String order) {
            shipped.add(order);
        }
    }

    static class Intercepting implements RecordInterceptor<Object, Object> {

        private final List<String> seen = new CopyOnWriteArrayList<>();

        List<String> seen() {
            return seen;
        }

        @Override
        public ConsumerRecord<Object, Object> intercept(
                ConsumerRecord<Object, Object> message, Consumer<Object, Object> consumer) {
            seen.add((String) message.value());
            return message;
        }
    }

    static class ByValue {

        private final List<String> shipped = new CopyOnWriteArrayList<>();

        List<String> shipped() {
            return shipped;
        }

        @KafkaListener(topics = "${topic}")
        @Idempotent(key = "#order")
        public void ship(String order) {
            shipped.add(order);
        }
    }
}
