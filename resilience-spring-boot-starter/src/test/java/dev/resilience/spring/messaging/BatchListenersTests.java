package dev.resilience.spring.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.autoconfigure.ResilienceMessagingAutoConfiguration;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.messaging.Message;

/** A listener that gets several messages in one call has no one key. */
class BatchListenersTests {

    private static ApplicationContextRunner application(Class<?>... components) {
        return Applications.plain(components)
                .withPropertyValues("batches=true")
                .withConfiguration(SortedOnce.of(ResilienceMessagingAutoConfiguration.class));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                BySetting.class,
                ByPlaceholder.class,
                ByAnnotationOfApplication.class,
                OfRecords.class,
                OfAll.class,
                OfMessages.class,
                ByFactory.class,
                ByPlaceholderOfFactory.class,
                TheSecond.class,
                OfClass.class,
                OfRabbit.class,
                ByFactoryOfRabbit.class
            })
    void anIdempotentOneFailsTheStartupWithTheCure(Class<?> listener) {
        application(listener, Factories.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOfSatisfying(ResilienceConfigurationException.class, failure -> {
                            assertThat(failure.getMessage())
                                    .contains(listener.getSimpleName() + ".on(", "gets several messages in one call");
                            assertThat(failure.action()).contains("for each message");
                        }));
    }

    @ParameterizedTest
    @ValueSource(classes = {Single.class, SingleByFactory.class, ListInOneMessage.class})
    void aListenerOfSingleMessagesIsNone(Class<?> listener) {
        application(listener, Factories.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
        });
    }

    @Test
    void aRetriedOneIsWarnedAbout() {
        application(Retried.class)
                .run(context -> assertThat(
                                context.getBean(StartupWarnings.class).all())
                        .singleElement()
                        .asString()
                        .contains("Retried.on(", "@Retryable", "the whole batch", "[retry-of-batch]"));
    }

    static class BySetting {

        @KafkaListener(batch = "true")
        @Idempotent(key = "#orders.toString()")
        void on(List<String> orders) {}
    }

    static class ByPlaceholder {

        @KafkaListener(batch = "${batches}")
        @Idempotent(key = "#orders.toString()")
        void on(List<String> orders) {}
    }

    static class ByAnnotationOfApplication {

        @BatchListener
        @Idempotent(header = "message-id")
        void on(List<String> orders) {}
    }

    @KafkaListener(batch = "true")
    @Retention(RetentionPolicy.RUNTIME)
    @interface BatchListener {}

    static class OfRecords {

        @KafkaListener
        @Idempotent(header = "message-id")
        void on(List<ConsumerRecord<String, String>> orders) {}
    }

    static class OfAll {

        @KafkaListener
        @Idempotent(header = "message-id")
        void on(ConsumerRecords<String, String> orders) {}
    }

    static class OfMessages {

        @KafkaListener
        @Idempotent(header = "message-id")
        void on(List<Message<String>> orders) {}
    }

    static class ByFactory {

        @KafkaListener(containerFactory = "batches")
        @Idempotent(header = "message-id")
        void on(List<String> orders) {}
    }

    static class ByPlaceholderOfFactory {

        @KafkaListener(containerFactory = "${factory:batches}")
        @Idempotent(header = "message-id")
        void on(List<String> orders) {}
    }

    static class TheSecond {

        @KafkaListener(topics = "single")
        @KafkaListener(topics = "batches", batch = "true")
        @Idempotent(header = "message-id")
        void on(Object order) {}
    }

    @KafkaListener(batch = "true")
    static class OfClass {

        @KafkaHandler
        @Idempotent(header = "message-id")
        void on(List<String> orders) {}
    }

    static class OfRabbit {

        @RabbitListener(batch = "true")
        @Idempotent(header = "message-id")
        void on(List<String> orders) {}
    }

    static class ByFactoryOfRabbit {

        @RabbitListener
        @Idempotent(header = "message-id")
        void on(List<String> orders) {}
    }

    static class Single {

        @KafkaListener
        @Idempotent(header = "message-id")
        @Retryable
        void on(String order) {}

        @JmsListener(destination = "orders")
        @Idempotent(header = "id")
        void onJms(String order) {}
    }

    static class SingleByFactory {

        @KafkaListener(containerFactory = "batches", batch = "false")
        @Idempotent(header = "message-id")
        void on(String order) {}
    }

    /** The value of a record may well be a list. */
    static class ListInOneMessage {

        @KafkaListener
        @Idempotent(header = "message-id")
        void on(List<String> items) {}
    }

    static class Retried {

        @KafkaListener(batch = "true")
        @Retryable
        void on(List<String> orders) {}
    }

    static class Factories {

        @Bean
        ConcurrentKafkaListenerContainerFactory<?, ?> kafkaListenerContainerFactory() {
            return new ConcurrentKafkaListenerContainerFactory<>();
        }

        @Bean
        ConcurrentKafkaListenerContainerFactory<?, ?> batches() {
            ConcurrentKafkaListenerContainerFactory<?, ?> factory = new ConcurrentKafkaListenerContainerFactory<>();
            factory.setBatchListener(true);
            return factory;
        }

        @Bean
        SimpleRabbitListenerContainerFactory rabbitListenerContainerFactory() {
            SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
            factory.setConsumerBatchEnabled(true);
            return factory;
        }
    }
}
