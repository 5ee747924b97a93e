package dev.resilience.spring.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.autoconfigure.ResilienceMessagingAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/** The messages of one poll are handled before the next one, and a consumer that does not poll loses its partitions. */
class PollIntervalTests {

    /** 2 s between the two attempts at the most: for 500 records 1,000 s. */
    private static ApplicationContextRunner application(Class<?>... components) {
        return Applications.plain(components)
                .withPropertyValues(
                        "records=100",
                        "resilience.retry.default.max-attempts=2",
                        "resilience.retry.default.backoff.base-delay=2s")
                .withConfiguration(SortedOnce.of(ResilienceMessagingAutoConfiguration.class));
    }

    private static List<String> warnings(Class<?>... components) {
        List<String> warnings = new ArrayList<>();
        application(components).run(context -> {
            assertThat(context).hasNotFailed();
            warnings.addAll(context.getBean(StartupWarnings.class).all());
        });
        return warnings;
    }

    @Test
    void waitsThatPassTheIntervalAreWarnedAboutWithBothValuesAndTheCure() {
        assertThat(warnings(Defaults.class, Retried.class))
                .singleElement()
                .asString()
                .contains(
                        "Retried.on(",
                        "PT2S for each of the 500 messages",
                        "PT5M",
                        "max.poll.records=150",
                        "[retry-beyond-poll-interval]");
    }

    @Test
    void soAreThoseOfAMethodThatHandlesOneTypeOfMessage() {
        assertThat(warnings(Defaults.class, OfClass.class))
                .singleElement()
                .asString()
                .contains("OfClass.on(", "max.poll.records=150");
    }

    @Test
    void theSettingsOfTheFactoryCount() {
        assertThat(warnings(OneSecond.class, Retried.class))
                .singleElement()
                .asString()
                .contains("PT2S for each of the 2 messages", "PT1S", "max.poll.records=1");
    }

    @Test
    void thoseOfTheListenerGoBefore() {
        assertThat(warnings(Defaults.class, FewRecords.class)).isEmpty();
        assertThat(warnings(Defaults.class, ShortInterval.class))
                .singleElement()
                .asString()
                .contains("PT2M");
    }

    @Test
    void noPollIsTooLargeToBeWarnedAbout() {
        application(Defaults.class, LargestPoll.class)
                .withPropertyValues("resilience.retry.default.max-attempts=2147483647")
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** A batch is retried as a whole; other brokers have no interval; without a factory nothing tells the settings. */
    @ParameterizedTest
    @ValueSource(classes = {Batches.class, OfJms.class, OtherFactory.class, Plain.class})
    void noOtherListenerIsWarnedAbout(Class<?> listener) {
        assertThat(warnings(Defaults.class, listener)).noneMatch(warning -> warning.contains("max.poll"));
    }

    static class Retried {

        @KafkaListener
        @Retryable
        public void on(String order) {}
    }

    @KafkaListener
    static class OfClass {

        @KafkaHandler
        @Retryable
        public void on(String order) {}
    }

    static class FewRecords {

        @KafkaListener(properties = "max.poll.records=${records}")
        @Retryable
        public void on(String order) {}
    }

    static class LargestPoll {

        @KafkaListener(properties = "max.poll.records=2147483647")
        @Retryable
        public void on(String order) {}
    }

    static class ShortInterval {

        @KafkaListener(properties = {"max.poll.records = 100", "max.poll.interval.ms:120000"})
        @Retryable
        public void on(String order) {}
    }

    static class Batches {

        @KafkaListener(batch = "true")
        @Retryable
        void on(List<String> orders) {}
    }

    static class OfJms {

        @JmsListener(destination = "orders")
        @Retryable
        public void on(String order) {}
    }

    static class OtherFactory {

        @KafkaListener(containerFactory = "other")
        @Retryable
        public void on(String order) {}
    }

    static class Plain {

        @KafkaListener
        public void on(String order) {}
    }

    static class Defaults {

        @Bean
        ConcurrentKafkaListenerContainerFactory<Object, Object> kafkaListenerContainerFactory() {
            return factory(Map.of());
        }
    }

    static class OneSecond {

        @Bean
        ConcurrentKafkaListenerContainerFactory<Object, Object> kafkaListenerContainerFactory() {
            ConcurrentKafkaListenerContainerFactory<Object, Object> factory =
                    factory(Map.of("max.poll.records", 2, "max.poll.interval.ms", "9000"));
            factory.getContainerProperties().getKafkaConsumerProperties().setProperty("max.poll.interval.ms", "1000");
            return factory;
        }
    }

    private static ConcurrentKafkaListenerContainerFactory<Object, Object> factory(Map<String, Object> settings) {
        ConcurrentKafkaListenerContainerFactory<Object, Object> factory =
                new ConcurrentKafkaListenerContainerFactory<>();
        factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(settings));
        return factory;
    }
}
