package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import jakarta.jms.Message;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.core.MessageCreator;

/** Messages of JMS whose body nothing reads as an object are known by their key alone. */
class JmsPayloadsTests {

    @Test
    void aStreamAndAMessageWithoutABodyAreHandledOnce() {
        try (JmsApplication shop = new JmsApplication(List.of(), Shipping.class)) {
            for (int delivery = 0; delivery < 2; delivery++) {
                send(shop, "empty", Session::createMessage);
                send(shop, "stream", session -> {
                    StreamMessage message = session.createStreamMessage();
                    message.writeInt(1);
                    return message;
                });
            }
            await(() -> shop.outcomes("replayed") == 2 || shop.waiting(JmsApplication.DEAD) > 0);
            assertThat(shop.effects.all()).containsExactly("empty", "stream");
        }
    }

    private static void send(JmsApplication shop, String id, MessageCreator creator) {
        shop.bean(JmsTemplate.class).send(JmsApplication.QUEUE, session -> {
            Message message = creator.createMessage(session);
            message.setStringProperty("messageId", id);
            return message;
        });
    }

    static class Shipping {

        private final Effects effects;

        Shipping(Effects effects) {
            this.effects = effects;
        }

        @JmsListener(destination = JmsApplication.QUEUE)
        @Idempotent(header = "messageId")
        public void ship(Message message) throws Exception {
            effects.add(message.getStringProperty("messageId"));
        }
    }
}
