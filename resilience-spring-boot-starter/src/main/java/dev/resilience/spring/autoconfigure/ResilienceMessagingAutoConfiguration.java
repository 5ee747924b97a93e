package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.idempotency.MessageListeners;
import dev.resilience.spring.messaging.BrokerListeners;
import dev.resilience.spring.messaging.CurrentMessage;
import dev.resilience.spring.messaging.ListenerPauses;
import dev.resilience.spring.messaging.ResilientErrorHandler;
import dev.resilience.time.TimeSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.SeekUtils;
import org.springframework.kafka.transaction.KafkaAwareTransactionManager;
import org.springframework.messaging.Message;

/** Lets idempotent methods listen to the brokers whose libraries are there. */
@AutoConfiguration(afterName = "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration")
@ConditionalOnClass(Message.class)
@Conditional(ResilienceAutoConfiguration.OnEnabled.class)
public final class ResilienceMessagingAutoConfiguration {

    @Bean
    @Lazy
    MessageListeners resilienceMessageListeners(
            TimeSource time, ResilienceRegistry registry, ConfigurableApplicationContext application) {
        return new BrokerListeners(time, application, new ListenerPauses(time, registry, application));
    }

    @Bean
    static CurrentMessage resilienceCurrentMessage(BeanFactory application) {
        return new CurrentMessage(application);
    }

    /** What Boot's containers of Kafka ask about failures. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DefaultErrorHandler.class)
    static final class Kafka {

        @Bean
        @ConditionalOnMissingBean({CommonErrorHandler.class, KafkaAwareTransactionManager.class})
        ResilientErrorHandler resilienceKafkaErrorHandler(TimeSource time) {
            return new ResilientErrorHandler(null, SeekUtils.DEFAULT_BACK_OFF, time);
        }
    }
}
