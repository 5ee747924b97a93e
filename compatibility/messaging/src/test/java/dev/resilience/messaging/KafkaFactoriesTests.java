package dev.resilience.messaging;

import static dev.resilience.messaging.FailingBackend.FAILING;
import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;

/** A listener whose container comes from a factory that the application defines in place of Boot's. */
class KafkaFactoriesTests {

    @Test
    void itsRetryTakesThePlaceOfTheContainers() {
        try (KafkaApplication shop = new KafkaApplication(
                FailingBackend.THREE_ATTEMPTS, Factory.class, KafkaRetriesTests.Retried.class, FailingBackend.class)) {
            shop.send(null, FAILING);
            shop.send(null, "next");
            await(() -> shop.effects.all().contains("next"));
            assertThat(shop.bean(FailingBackend.class).calls()).isEqualTo(3);
        }
    }

    static class Factory {

        @Bean
        ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory(
                ConsumerFactory<String, String> consumers) {
            ConcurrentKafkaListenerContainerFactory<String, String> factory =
                    new ConcurrentKafkaListenerContainerFactory<>();
            factory.setConsumerFactory(consumers);
            return factory;
        }
    }
}
