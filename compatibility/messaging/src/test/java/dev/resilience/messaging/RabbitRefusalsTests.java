package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.amqp.listener.ContainerUtils;
import org.springframework.amqp.rabbit.annotation.RabbitListener;

/** What a container of RabbitMQ gets for messages that come while a probe runs, and its circuit breaker refuses others. */
class RabbitRefusalsTests {

    private static final String PAUSES = "resilience.circuit-breaker.backend.pause-listeners=true";

    /** RabbitMQ would deliver it again at once, and count that. */
    @Test
    void theyArePutBackAfterASecond() {
        try (RabbitDeliveries shop = new RabbitDeliveries(List.of(PAUSES), Shipping.class, ManualTimeSource.class)) {
            dev.resilience.circuitbreaker.CircuitBreaker breaker =
                    shop.bean(ResilienceRegistry.class).circuitBreaker("backend");
            breaker.forceOpen();
            breaker.halfOpen();
            CompletableFuture<Void> probe = shop.effects.runSlowly(() -> shop.deliver("m", Effects.SLOW));
            Throwable told = catchThrowable(() -> shop.deliver("n", "order"));
            assertThat(ContainerUtils.shouldRequeue(true, told, LogFactory.getLog(getClass())))
                    .isTrue();
            assertThat(shop.bean(ManualTimeSource.class).elapsed()).isEqualTo(Duration.ofSeconds(1));
            shop.effects.endSlow();
            probe.join();
            assertThat(shop.effects.all()).containsExactly(Effects.SLOW);
        }
    }

    @Test
    @EnabledIf("dev.resilience.messaging.RabbitServer#isInstalled")
    void noneIsGivenUpMeanwhile() {
        List<String> twoConsumers = List.of(
                PAUSES,
                "spring.rabbitmq.listener.simple.concurrency=2",
                "spring.rabbitmq.listener.simple.prefetch=1",
                RabbitApplication.deliveryLimit(5));
        try (RabbitApplication shop = new RabbitApplication(twoConsumers, Shipping.class)) {
            dev.resilience.circuitbreaker.CircuitBreaker breaker =
                    shop.bean(ResilienceRegistry.class).circuitBreaker("backend");
            breaker.halfOpen();
            shop.effects.runSlowly(() -> shop.send("m", Effects.SLOW)).join();
            shop.send("n", "order");
            await(() -> breaker.calls().get(CircuitBreakerOutcome.REJECTED) > 1);
            assertThat(breaker.calls().get(CircuitBreakerOutcome.REJECTED)).isLessThan(5);
            shop.effects.endSlow();
            await(() -> shop.effects.all().size() == 2);
            assertThat(shop.dead()).isZero();
        }
    }

    static class Shipping {

        private final Effects effects;

        Shipping(Effects effects) {
            this.effects = effects;
        }

        @RabbitListener(queues = "${queue:orders}")
        @CircuitBreaker("backend")
        public void ship(String order) {
            effects.add(order);
        }
    }
}
