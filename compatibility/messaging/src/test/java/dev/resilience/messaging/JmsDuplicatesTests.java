package dev.resilience.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.support.JmsHeaders;

/** A message of JMS that comes more than once has one effect. */
class JmsDuplicatesTests {

    @Test
    void thePropertyNeedNotBeAnArgument() {
        try (JmsApplication shop = new JmsApplication(List.of(), ByProperty.class)) {
            shop.send("m", "1");
            shop.send("m", "1");
            shop.send("n", "2");
            KafkaApplication.await(() -> shop.bean(ByProperty.class).shipped().contains("2"));
            assertThat(shop.bean(ByProperty.class).shipped()).containsExactly("1", "2");
        }
    }

    @Test
    void aWholeMessageIsComparedByItsBody() {
        try (JmsApplication shop = new JmsApplication(List.of(), Whole.class)) {
            shop.send("m", "1");
            shop.send("m", "1");
            shop.send("n", "2");
            KafkaApplication.await(() -> shop.bean(Whole.class).shipped().contains("2"));
            assertThat(shop.bean(Whole.class).shipped()).containsExactly("1", "2");
        }
    }

    /** Two messages that were sent are two, whatever is in them. */
    @Test
    void theIdOfTheMessageItselfIsAKeyToo() {
        try (JmsApplication shop = new JmsApplication(List.of(), ById.class)) {
            shop.send(null, "1");
            shop.send(null, "1");
            KafkaApplication.await(() -> shop.bean(ById.class).shipped().size() == 2);
        }
    }

    abstract static class Shipping {

        final List<String> shipped = new CopyOnWriteArrayList<>();

        List<String> shipped() {
            return shipped;
        }
    }

    static class ByProperty extends Shipping {

        @JmsListener(destination = JmsApplication.QUEUE)
        @Idempotent(header = "messageId")
        public void ship(String order) {
            shipped.add(order);
        }
    }

    static class Whole extends Shipping {

        @JmsListener(destination = JmsApplication.QUEUE)
        @Idempotent(header = "messageId")
        public void ship(jakarta.jms.Message order) throws jakarta.jms.JMSException {
            shipped.add(order.getBody(String.class));
        }
    }

    static class ById extends Shipping {

        @JmsListener(destination = JmsApplication.QUEUE)
        @Idempotent(header = JmsHeaders.MESSAGE_ID)
        public void ship(String order) {
            shipped.add(order);
        }
    }
}
