package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;

/** Three consumers of RabbitMQ get each message one to five times: it has one row, and none is given up. */
@Tag("long")
@EnabledIf("dev.resilience.messaging.RabbitServer#isInstalled")
class RabbitInboxSoakTests {

    @AutoClose
    private final Inbox inbox = new Inbox();

    private List<String> properties(int consumers) {
        return inbox.properties("spring.rabbitmq.listener.simple.concurrency=" + consumers);
    }

    /** @param byOthers how many deliveries others have acknowledged */
    private void assertNothingIsLostOrGivenUp(RabbitApplication shop, long byOthers) {
        LongSupplier handled = Inbox.handled(shop.context);
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(handled.getAsLong() + byOthers).isEqualTo(inbox.sendings.size()));
        shop.close();
        assertThat(shop.waiting()).isZero();
        assertThat(shop.dead()).isZero();
        inbox.assertOneRowEach();
    }

    @Test
    void consumersMayComeAndGo() {
        try (RabbitApplication shop = new RabbitApplication(properties(2), Shipping.class)) {
            int part = inbox.sendings.size() / 3;
            long byOthers = 0;
            for (int i = 0; i < 3; i++) {
                LongSupplier handled;
                try (RabbitApplication other = shop.joined(properties(1), Shipping.class)) {
                    handled = Inbox.handled(other.context);
                    await(() -> shop.consumers() == 3);
                    inbox.sendings.subList(i * part, (i + 1) * part).forEach(id -> shop.send(id, id));
                    await(() -> Inbox.handled(other.context).getAsLong() > 10);
                }
                byOthers += handled.getAsLong();
            }
            assertNothingIsLostOrGivenUp(shop, byOthers);
        }
    }

    /** It has taken no message ahead: what a killed process has not read from its socket makes the system drop its acknowledgments. */
    @Test
    void aConsumerMayBeKilledBetweenItsCommitAndItsAcknowledgment() throws Exception {
        try (RabbitApplication shop = new RabbitApplication(properties(2), Shipping.class);
                DyingProcess other = new DyingProcess(
                        Dying.class,
                        List.of(
                                shop.queue,
                                String.valueOf(RabbitServer.get().port()),
                                String.join("\n", properties(1)) + "\nspring.rabbitmq.listener.simple.prefetch=1"))) {
            await(() -> shop.consumers() == 3);
            inbox.sendings.forEach(id -> shop.send(id, id));
            DyingProcess.Last last = other.kill();
            assertThat(inbox.rows()).containsOnlyOnce(last.message());
            assertNothingIsLostOrGivenUp(shop, last.acknowledged());
        }
    }

    static class Shipping extends Inbox.Shipping {

        Shipping(JdbcClient jdbc, ObjectProvider<DyingProcess.Death> death) {
            super(jdbc, death);
        }

        @Override
        @RabbitListener(queues = "${queue}")
        @Idempotent(header = "message-id")
        @Transactional
        public void ship(String order) {
            super.ship(order);
        }
    }

    static class Dying {

        public static void main(String[] arguments) {
            DyingProcess.endWithItsParent();
            new RabbitApplication(
                    arguments[0],
                    Integer.parseInt(arguments[1]),
                    List.of(arguments[2].split("\n")),
                    Shipping.class,
                    DyingProcess.Death.class);
        }
    }
}
