package dev.resilience.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.annotation.RabbitListener;

/** A message of RabbitMQ that comes more than once has one effect. */
class RabbitDuplicatesTests {

    @Test
    void theHeaderNeedNotBeAnArgument() {
        try (RabbitDeliveries shop = new RabbitDeliveries(List.of(), ByHeader.class)) {
            shop.deliver("m", "1");
            shop.deliver("m", "1");
            shop.deliver("n", "2");
            assertThat(shop.bean(ByHeader.class).shipped()).containsExactly("1", "2");
        }
    }

    static class ByHeader {

        private final List<String> shipped = new CopyOnWriteArrayList<>();

        List<String> shipped() {
            return shipped;
        }

        @RabbitListener(queues = "orders")
        @Idempotent(header = "message-id")
        public void ship(String order) {
            shipped.add(order);
        }
    }
}
