package dev.resilience.messaging;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.amqp.core.Declarables;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application as Boot makes it, with a queue of its own on a {@link RabbitServer}, and one for its dead letters. */
final class RabbitApplication implements AutoCloseable {

    private static final AtomicInteger QUEUES = new AtomicInteger();

    final ConfigurableApplicationContext context;
    final Effects effects = new Effects();
    final String queue;

    RabbitApplication(List<String> properties, Class<?>... components) {
        this("orders-" + QUEUES.incrementAndGet(), RabbitServer.get().port(), properties, components);
    }

    RabbitApplication(String queue, int port, List<String> properties, Class<?>... components) {
        this.queue = queue;
        List<String> all = new ArrayList<>(List.of(
                "spring.artemis.mode=native",
                "spring.rabbitmq.host=127.0.0.1",
                "spring.rabbitmq.port=" + port,
                "queue=" + queue));
        all.addAll(properties);
        context = effects.application(Application.class, all, components);
    }

    /** Its queue is a quorum queue, which gives a message up that is delivered once more than this. */
    static String deliveryLimit(int deliveries) {
        return "delivery-limit=" + deliveries;
    }

    /** Another application with the same queue. */
    RabbitApplication joined(List<String> properties, Class<?>... components) {
        return new RabbitApplication(queue, RabbitServer.get().port(), properties, components);
    }

    /** With the property {@code message-id} unless that is {@code null}. */
    void send(String messageId, String value) {
        context.getBean(RabbitTemplate.class).convertAndSend(queue, (Object) value, (Message message) -> {
            message.getMessageProperties().setMessageId(messageId);
            return message;
        });
    }

    /** How many messages wait for a consumer. */
    long waiting() {
        return RabbitServer.get().waiting(queue);
    }

    long consumers() {
        return RabbitServer.get().consumers(queue);
    }

    /** How many messages the broker has given up. */
    long dead() {
        return RabbitServer.get().waiting(deadLetters(queue));
    }

    List<String> takeDead() {
        return RabbitServer.get().take(deadLetters(queue));
    }

    private static String deadLetters(String queue) {
        return queue + ".dead";
    }

    long outcomes(String outcome) {
        return KafkaApplication.outcomes(context, outcome);
    }

    <B> B bean(Class<B> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Declarables queues(@Value("${queue}") String name, @Value("${delivery-limit:0}") int limit) {
            QueueBuilder queue =
                    QueueBuilder.durable(name).deadLetterExchange("").deadLetterRoutingKey(deadLetters(name));
            if (limit > 0) {
                queue.quorum().deliveryLimit(limit);
            }
            return new Declarables(
                    queue.build(), QueueBuilder.durable(deadLetters(name)).build());
        }

        @Bean
        ContainerCustomizer<SimpleMessageListenerContainer> containersThatStopWithinAMoment() {
            return container -> container.setReceiveTimeout(50);
        }
    }
}
