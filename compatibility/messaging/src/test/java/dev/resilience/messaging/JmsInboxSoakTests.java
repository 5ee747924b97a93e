package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.transaction.annotation.Transactional;

/** Three consumers of Artemis get each message one to five times: it has one row, and none is given up. */
@Tag("long")
class JmsInboxSoakTests {

    @AutoClose
    private final Inbox inbox = new Inbox();

    private List<String> properties(int consumers) {
        return inbox.properties("spring.jms.listener.min-concurrency=" + consumers);
    }

    private JmsApplication shop() {
        return new JmsApplication(properties(2), Shipping.class, JmsApplication.Reachable.class);
    }

    private void assertNothingIsLostOrGivenUp(JmsApplication shop) {
        await(() -> shop.queue().getMessageCount() == 0);
        inbox.assertOneRowEach();
        assertThat(shop.waiting(JmsApplication.DEAD)).isZero();
    }

    @Test
    void consumersMayComeAndGo() {
        try (JmsApplication shop = shop()) {
            int part = inbox.sendings.size() / 3;
            for (int i = 0; i < 3; i++) {
                try (JmsApplication other = new JmsApplication(shop.brokerUrl(), properties(1), Shipping.class)) {
                    await(() -> shop.queue().getConsumerCount() == 3);
                    inbox.sendings.subList(i * part, (i + 1) * part).forEach(id -> shop.send(id, id));
                    await(() -> Inbox.handled(other.context).getAsLong() > 10);
                }
            }
            assertNothingIsLostOrGivenUp(shop);
        }
    }

    @Test
    void aConsumerMayBeKilledBetweenItsCommitAndItsAcknowledgment() throws Exception {
        try (JmsApplication shop = shop();
                DyingProcess other =
                        new DyingProcess(Dying.class, List.of(shop.brokerUrl(), String.join("\n", properties(1))))) {
            await(() -> shop.queue().getConsumerCount() == 3);
            inbox.sendings.forEach(id -> shop.send(id, id));
            DyingProcess.Last last = other.kill();
            assertThat(inbox.rows()).containsOnlyOnce(last.message());
            assertNothingIsLostOrGivenUp(shop);
            assertThat(Inbox.handled(shop.context).getAsLong()).isEqualTo(inbox.sendings.size() - last.acknowledged());
        }
    }

    static class Shipping extends Inbox.Shipping {

        Shipping(JdbcClient jdbc, ObjectProvider<DyingProcess.Death> death) {
            super(jdbc, death);
        }

        @Override
        @JmsListener(destination = JmsApplication.QUEUE)
        @Idempotent(header = "messageId")
        @Transactional
        public void ship(String order) {
            super.ship(order);
        }
    }

    static class Dying {

        public static void main(String[] arguments) {
            DyingProcess.endWithItsParent();
            new JmsApplication(
                    arguments[0], List.of(arguments[1].split("\n")), Shipping.class, DyingProcess.Death.class);
        }
    }
}
