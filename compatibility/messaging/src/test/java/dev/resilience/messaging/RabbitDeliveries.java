package dev.resilience.messaging;

import com.rabbitmq.client.Channel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.mockito.Mockito;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application as Boot makes it, with containers for listeners of RabbitMQ and deliveries that no broker makes. */
final class RabbitDeliveries implements AutoCloseable {

    final ConfigurableApplicationContext context;
    final Effects effects = new Effects();

    RabbitDeliveries(List<String> properties, Class<?>... components) {
        List<String> all = new ArrayList<>(List.of("spring.artemis.mode=native"));
        all.addAll(properties);
        context = effects.application(Application.class, all, components);
    }

    /** Hands a message to the only listener, in its container, and throws what that gets. */
    void deliver(String messageId, String body) {
        deliver(messageId, body, false);
    }

    void deliver(String messageId, String body, boolean redelivered) {
        deliver(message(messageId, body, redelivered));
    }

    /** As {@link #deliver}, to a listener that gets several messages in one call. */
    void deliverBatch(String body) {
        deliver(List.of(message("m", body, false)));
    }

    private static Message message(String messageId, String body, boolean redelivered) {
        return MessageBuilder.withBody(body.getBytes(StandardCharsets.UTF_8))
                .setContentType("text/plain")
                .setHeaderIfAbsent("message-id", messageId)
                .setRedelivered(redelivered)
                .build();
    }

    private void deliver(Object data) {
        Container container = (Container) context.getBean(RabbitListenerEndpointRegistry.class)
                .getListenerContainers()
                .iterator()
                .next();
        container.executeListener(Mockito.mock(Channel.class), data);
    }

    long outcomes(String outcome) {
        return KafkaApplication.outcomes(context, outcome);
    }

    <B> B bean(Class<B> type) {
        return Objects.requireNonNull(context.getBean(type));
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        /** In place of Boot's, whose containers look for a broker. */
        @Bean
        Factory rabbitListenerContainerFactory(ConnectionFactory connections) {
            Factory factory = new Factory();
            factory.setConnectionFactory(connections);
            return factory;
        }
    }

    static final class Factory extends AbstractRabbitListenerContainerFactory<Container> {

        @Override
        protected Container createContainerInstance() {
            return new Container();
        }
    }

    /** Fetches nothing, and lets a test deliver. */
    static final class Container extends AbstractMessageListenerContainer {

        @Override
        public void executeListener(Channel channel, Object message) {
            super.executeListener(channel, message);
        }

        @Override
        protected void doInitialize() {}

        @Override
        protected void shutdownAndWaitOrCallback(Runnable callback) {
            if (callback != null) {
                callback.run();
            }
        }
    }
}
