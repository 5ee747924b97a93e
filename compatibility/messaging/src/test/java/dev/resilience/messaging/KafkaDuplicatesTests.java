package dev.resilience.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.annotation.KafkaListener;

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
