package dev.resilience.spring.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceMessagingAutoConfiguration;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.config.ShareKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultShareConsumerFactory;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.ShareKafkaMessageListenerContainer;

/** Which containers of Kafka pause for a circuit breaker, and when. They have no broker here, and do not run. */
class PausedContainersTests {

    private static void with(Class<?> listener, BiConsumer<ResilienceRegistry, MessageListenerContainer> use) {
        Applications.plain(Kafka.class, listener)
                .withConfiguration(SortedOnce.of(ResilienceMessagingAutoConfiguration.class))
                .withPropertyValues("resilience.circuit-breaker.payments.pause-listeners=true")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    use.accept(
                            context.getBean(ResilienceRegistry.class),
                            context.getBean(KafkaListenerEndpointRegistry.class)
                                    .getListenerContainers()
                                    .iterator()
                                    .next());
                });
    }

    @Test
    void aChangedPolicyTakesEffectAtOnce() {
        with(Records.class, (registry, container) -> {
            registry.circuitBreaker("payments").forceOpen();
            assertThat(container.isPauseRequested()).isTrue();
            reconfigure(registry, false);
            assertThat(container.isPauseRequested()).isFalse();
            reconfigure(registry, true);
            assertThat(container.isPauseRequested()).isTrue();
        });
    }

    private static void reconfigure(ResilienceRegistry registry, boolean pausesListeners) {
        registry.reconfigure(
                dev.resilience.circuitbreaker.CircuitBreaker.class,
                "payments",
                Map.of("pause-listeners", pausesListeners));
    }

    /** Whose container cannot pause. */
    @Test
    void anApplicationWithAShareConsumerStarts() {
        with(
                Share.class,
                (registry, container) -> assertThat(container).isInstanceOf(ShareKafkaMessageListenerContainer.class));
    }

    static class Records {

        @KafkaListener(topics = "orders", groupId = "shop")
        @CircuitBreaker("payments")
        public void on(String order) {}
    }

    static class Share {

        @KafkaListener(topics = "orders", groupId = "shop", containerFactory = "shares")
        @CircuitBreaker("payments")
        public void on(String order) {}
    }

    @EnableKafka
    static class Kafka {

        @Bean
        ConcurrentKafkaListenerContainerFactory<Object, Object> kafkaListenerContainerFactory() {
            ConcurrentKafkaListenerContainerFactory<Object, Object> factory =
                    new ConcurrentKafkaListenerContainerFactory<>();
            factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(Map.of()));
            factory.setAutoStartup(false);
            return factory;
        }

        @Bean
        ShareKafkaListenerContainerFactory<Object, Object> shares() {
            ShareKafkaListenerContainerFactory<Object, Object> factory =
                    new ShareKafkaListenerContainerFactory<>(new DefaultShareConsumerFactory<>(Map.of()));
            factory.setAutoStartup(false);
            return factory;
        }
    }
}
