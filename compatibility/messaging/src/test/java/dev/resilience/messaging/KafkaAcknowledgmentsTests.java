package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;

import dev.resilience.annotation.Idempotent;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.support.Acknowledgment;

/** A message of Kafka that was handled before is acknowledged, though its listener, which would do so by hand, does not run. */
class KafkaAcknowledgmentsTests {

    /** With asynchronous ones the container hands out no other message of the partition before that. */
    @ParameterizedTest
    @CsvSource({"manual, false", "manual, true", "manual_immediate, false"})
    void aReplayIsAcknowledged(String mode, boolean isAsynchronous) {
        List<String> byHand = List.of(
                "spring.kafka.listener.ack-mode=" + mode,
                "spring.kafka.listener.async-acks=" + isAsynchronous,
                "spring.kafka.consumer.max-poll-records=1");
        try (KafkaApplication shop = new KafkaApplication(byHand, ByHand.class)) {
            for (int partition = 0; partition < 3; partition++) {
                shop.sendTo(partition, "m" + partition, "order");
                shop.sendTo(partition, "m" + partition, "order");
            }
            await(() -> shop.outcomes("replayed") == 3);
            await(shop::isAllAcknowledged);
        }
    }

    static class ByHand {

        @KafkaListener(topics = "${topic}")
        @Idempotent(header = "message-id")
        public void ship(String order, Acknowledgment acknowledgment) {
            acknowledgment.acknowledge();
        }
    }
}
