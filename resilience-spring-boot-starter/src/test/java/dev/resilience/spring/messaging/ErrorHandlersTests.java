package dev.resilience.spring.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.Applications;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceMessagingAutoConfiguration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.DefaultErrorHandler;

/** What stands around the error handler of a container factory that the application itself defines. */
class ErrorHandlersTests {

    private final ConcurrentKafkaListenerContainerFactory<Object, Object> factory =
            new ConcurrentKafkaListenerContainerFactory<>();

    /** Of the containers of the factory in an application. */
    private CommonErrorHandler errorHandler() {
        factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(Map.of()));
        Applications.plain()
                .withConfiguration(SortedOnce.of(ResilienceMessagingAutoConfiguration.class))
                .withBean("factory", ConcurrentKafkaListenerContainerFactory.class, () -> factory)
                .run(context -> assertThat(context).hasNotFailed());
        return factory.createContainer("orders").getCommonErrorHandler();
    }

    @Test
    void aFactoryWithoutOneHasSpringsDefault() {
        assertThat(AopProxyUtils.getSingletonTarget(errorHandler())).isExactlyInstanceOf(DefaultErrorHandler.class);
    }

    /** And does not retry what no retry helps. */
    @Test
    void oneOfTheApplicationStays() {
        DefaultErrorHandler ofApplication = new DefaultErrorHandler();
        factory.setCommonErrorHandler(ofApplication);
        assertThat(AopProxyUtils.getSingletonTarget(errorHandler())).isSameAs(ofApplication);
        assertThat(ofApplication.removeClassification(ListenerRetryExhaustedException.class))
                .isFalse();
    }
}
