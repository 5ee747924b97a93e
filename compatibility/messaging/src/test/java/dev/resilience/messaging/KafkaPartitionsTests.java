package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.MessageListenerContainer;

/** A partition with a message in progress pauses until its lease is over, but for one that pauses anyway. */
class KafkaPartitionsTests {

    /** By the listener itself, with the message before in the same poll. */
    @Test
    void onePausedByTheApplicationStaysSo() {
        try (KafkaApplication shop = new KafkaApplication(List.of(), Shipping.class, ManualTimeSource.class)) {
            CompletableFuture<Void> running =
                    shop.effects.runSlowly(() -> shop.bean(Shipping.class).ship(Effects.SLOW));
            MessageListenerContainer container = shop.bean(Shipping.class).container();
            TopicPartition partition = new TopicPartition(shop.topic, 0);
            container.stop();
            shop.send(null, Shipping.PAUSES);
            shop.send(null, Effects.SLOW);
            container.start();
            await(() -> container.isPartitionPaused(partition));
            assertThat(shop.outcomes("in_progress")).isEqualTo(1);
            shop.bean(ManualTimeSource.class).advance(Duration.ofSeconds(30));
            assertThat(container.getContainerFor(shop.topic, 0).isPartitionPauseRequested(partition))
                    .isTrue();
            shop.effects.endSlow();
            running.join();
        }
    }

    static class Shipping {

        static final String PAUSES = "pauses";

        private final Effects effects;
        private final KafkaListenerEndpointRegistry registry;

        Shipping(Effects effects, KafkaListenerEndpointRegistry registry) {
            this.effects = effects;
            this.registry = registry;
        }

        MessageListenerContainer container() {
            return registry.getListenerContainers().iterator().next();
        }

        @KafkaListener(topics = "${topic}")
        @Idempotent(key = "#order")
        public void ship(String order) {
            if (order.equals(PAUSES)) {
                container().getAssignedPartitions().forEach(container()::pausePartition);
            }
            effects.add(order);
        }
    }
}
