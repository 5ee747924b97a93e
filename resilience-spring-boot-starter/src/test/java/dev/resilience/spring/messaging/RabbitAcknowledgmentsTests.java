package dev.resilience.spring.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceMessagingAutoConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;

/** A listener of RabbitMQ that acknowledges by hand would never do so for a message that was handled before. */
class RabbitAcknowledgmentsTests {

    private static ApplicationContextRunner application(Class<?> listener) {
        return Applications.plain(listener, Factories.class)
                .withConfiguration(SortedOnce.of(ResilienceMessagingAutoConfiguration.class));
    }

    @ParameterizedTest
    @ValueSource(classes = {BySetting.class, ByFactory.class})
    void anIdempotentOneFailsTheStartupWithTheCure(Class<?> listener) {
        application(listener)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOfSatisfying(ResilienceConfigurationException.class, failure -> {
                            assertThat(failure.getMessage())
                                    .contains(listener.getSimpleName() + ".on(", "acknowledges its messages by hand");
                            assertThat(failure.action()).contains("acknowledge-mode: auto");
                        }));
    }

    @ParameterizedTest
    @ValueSource(classes = {Default.class, AutoBySetting.class, Retried.class})
    void noOtherOneDoes(Class<?> listener) {
        application(listener).run(context -> assertThat(context).hasNotFailed());
    }

    static class BySetting {

        @RabbitListener(ackMode = "MANUAL")
        @Idempotent(header = "message-id")
        void on(String order) {}
    }

    static class ByFactory {

        @RabbitListener(containerFactory = "byHand")
        @Idempotent(header = "message-id")
        void on(String order) {}
    }

    static class Default {

        @RabbitListener
        @Idempotent(header = "message-id")
        void on(String order) {}
    }

    static class AutoBySetting {

        @RabbitListener(containerFactory = "byHand", ackMode = "AUTO")
        @Idempotent(header = "message-id")
        void on(String order) {}
    }

    static class Retried {

        @RabbitListener(containerFactory = "byHand")
        @Retryable
        void on(String order) {}
    }

    static class Factories {

        @Bean
        SimpleRabbitListenerContainerFactory rabbitListenerContainerFactory() {
            return new SimpleRabbitListenerContainerFactory();
        }

        @Bean
        SimpleRabbitListenerContainerFactory byHand() {
            SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
            factory.setAcknowledgeMode(AcknowledgeMode.MANUAL);
            return factory;
        }
    }
}
