package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.idempotency.MessageListeners;
import dev.resilience.spring.messaging.BrokerListeners;
import dev.resilience.spring.messaging.CurrentMessage;
import dev.resilience.spring.messaging.ListenerPauses;
import dev.resilience.time.TimeSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.messaging.Message;

/** Lets idempotent methods listen to the brokers whose libraries are there. */
@AutoConfiguration
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
}
