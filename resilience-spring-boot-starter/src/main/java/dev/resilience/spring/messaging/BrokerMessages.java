package dev.resilience.spring.messaging;

import dev.resilience.context.Attempt;
import jakarta.jms.BytesMessage;
import jakarta.jms.MapMessage;
import jakarta.jms.ObjectMessage;
import jakarta.jms.TextMessage;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.springframework.jms.support.SimpleJmsHeaderMapper;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.ThrowingSupplier;

/** What is read of the messages of brokers. No bean: Spring looks at the methods of beans, and these know optional classes. */
final class BrokerMessages {

    static final boolean KAFKA = isPresent("org.springframework.kafka.annotation.KafkaListener");
    static final boolean AMQP = isPresent("org.springframework.amqp.rabbit.annotation.RabbitListener");
    static final boolean JMS =
            isPresent("org.springframework.jms.annotation.JmsListener") && isPresent("jakarta.jms.Message");

    private BrokerMessages() {}

    private static boolean isPresent(String className) {
        return ClassUtils.isPresent(className, BrokerListeners.class.getClassLoader());
    }

    static boolean areOf(Class<?> type) {
        return Message.class.isAssignableFrom(type)
                || (KAFKA && ConsumerRecord.class.isAssignableFrom(type))
                || (AMQP && org.springframework.amqp.core.Message.class.isAssignableFrom(type))
                || (JMS && jakarta.jms.Message.class.isAssignableFrom(type));
    }

    /** The payload of an argument, which may be a whole message. */
    static @Nullable Object payload(@Nullable Object argument) {
        if (KAFKA && argument instanceof ConsumerRecord<?, ?> message) {
            return message.value();
        }
        if (AMQP && argument instanceof org.springframework.amqp.core.Message message) {
            return message.getBody();
        }
        if (JMS && argument instanceof jakarta.jms.Message message) {
            boolean isObject = Stream.of(TextMessage.class, BytesMessage.class, MapMessage.class, ObjectMessage.class)
                    .anyMatch(kind -> kind.isInstance(message)); // others have no body, or a stream
            return isObject
                    ? ThrowingSupplier.of(() -> message.getBody(Object.class)).get()
                    : null;
        }
        return argument instanceof Message<?> message ? message.getPayload() : argument;
    }

    /** A header of what may be a message, as bytes, where the broker knows nothing else, or as the object that it is. */
    static @Nullable Object header(Object carrier, String name) {
        if (KAFKA && carrier instanceof ConsumerRecord<?, ?> message) {
            Header last = message.headers().lastHeader(name);
            return last == null ? null : last.value();
        }
        if (AMQP && carrier instanceof org.springframework.amqp.core.Message message) {
            Object header = message.getMessageProperties().getHeader(name);
            return header == null && name.equals("message-id")
                    ? message.getMessageProperties().getMessageId()
                    : header;
        }
        if (JMS && carrier instanceof jakarta.jms.Message message) {
            return new SimpleJmsHeaderMapper().toHeaders(message).get(name);
        }
        return carrier instanceof Message<?> message && !name.equals(MessageHeaders.ID) // which each delivery has anew
                ? message.getHeaders().get(name)
                : null;
    }

    /** As which attempt of its container a message is delivered; {@code null} for the first, and where nothing tells. */
    static @Nullable Attempt redelivery(Object carrier) {
        String name = KAFKA && carrier instanceof ConsumerRecord ? KafkaHeaders.DELIVERY_ATTEMPT : "JMSXDeliveryCount";
        Object number = header(carrier, name);
        int attempt = number instanceof Integer count ? count : 1;
        if (number instanceof byte[] bytes && bytes.length == Integer.BYTES) {
            attempt = ByteBuffer.wrap(bytes).getInt();
        } else if (AMQP && carrier instanceof org.springframework.amqp.core.Message message) {
            attempt = Boolean.TRUE.equals(message.getMessageProperties().isRedelivered()) ? 2 : 1;
        }
        return attempt < 2 ? null : Attempt.of("the container of a listener", attempt, null);
    }
}
