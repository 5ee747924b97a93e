package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.messaging.KafkaApplication.GivenUp;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.transaction.annotation.Transactional;

/** Three consumers of Kafka get each message one to five times: it has one row, and none is given up. */
@Tag("long")
class KafkaInboxSoakTests {

    @AutoClose
    private final Inbox inbox = new Inbox();

    private List<String> properties(int consumers) {
        return inbox.properties(
                "spring.kafka.listener.concurrency=" + consumers,
                "spring.kafka.consumer.properties.session.timeout.ms=3000",
                "spring.kafka.consumer.heartbeat-interval=500ms",
                "spring.kafka.consumer.max-poll-records=20");
    }

    private void assertNothingIsLostOrGivenUp(KafkaApplication shop) {
        await(() -> shop.isAllAcknowledged());
        inbox.assertOneRowEach();
        assertThat(shop.bean(GivenUp.class).all).isEmpty();
    }

    private static void send(KafkaApplication shop, List<String> messages) {
        for (int i = 0; i < messages.size(); i++) {
            shop.sendTo(i % 3, messages.get(i), messages.get(i));
        }
    }

    @Test
    void partitionsMayMoveMeanwhile() {
        try (KafkaApplication shop = new KafkaApplication(properties(2), Shipping.class, GivenUp.class)) {
            int part = inbox.sendings.size() / 3;
            for (int i = 0; i < 3; i++) {
                try (KafkaApplication other = shop.joined(properties(1), Shipping.class)) {
                    send(shop, inbox.sendings.subList(i * part, (i + 1) * part));
                    await(() -> Inbox.handled(other.context).getAsLong() > 10);
                }
            }
            assertNothingIsLostOrGivenUp(shop);
        }
    }

    @Test
    void aConsumerMayBeKilledBetweenItsCommitAndItsAcknowledgment() throws Exception {
        try (KafkaApplication shop = new KafkaApplication(properties(2), Shipping.class, GivenUp.class);
                DyingProcess other = new DyingProcess(
                        Dying.class,
                        List.of(shop.topic, KafkaApplication.brokers(), String.join("\n", properties(1))))) {
            await(() -> shop.members() == 3);
            send(shop, inbox.sendings);
            DyingProcess.Last last = other.kill();
            assertThat(inbox.rows()).containsOnlyOnce(last.message());
            assertNothingIsLostOrGivenUp(shop);
        }
    }

    static class Shipping extends Inbox.Shipping {

        Shipping(JdbcClient jdbc, ObjectProvider<DyingProcess.Death> death) {
            super(jdbc, death);
        }

        @Override
        @KafkaListener(topics = "${topic}")
        @Idempotent(header = "message-id")
        @Transactional
        public void ship(String order) {
            super.ship(order);
        }
    }

    static class Dying {

        public static void main(String[] arguments) {
            DyingProcess.endWithItsParent();
            new KafkaApplication(
                    arguments[0],
                    arguments[1],
                    List.of(arguments[2].split("\n")),
                    Shipping.class,
                    DyingProcess.Death.class);
        }
    }
}
