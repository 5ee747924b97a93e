package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.spring.ResilienceRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.MessageListenerContainer;

/** Listeners of Kafka whose circuit breaker has {@code pause-listeners} get nothing while it is open, and all of it afterwards. */
class PausedListenersTests {

    static final String BREAKER = "resilience.circuit-breaker.backend.";
    private static final int MESSAGES = 10_000;

    static List<String> pausing(String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        all.add(BREAKER + "pause-listeners=true");
        all.add(BREAKER + "open-duration=100ms");
        all.add(BREAKER + "open-duration-multiplier=1");
        return all;
    }

    static dev.resilience.circuitbreaker.CircuitBreaker breaker(ConfigurableApplicationContext context) {
        return context.getBean(ResilienceRegistry.class).circuitBreaker("backend");
    }

    static long openings(ConfigurableApplicationContext context) {
        return breaker(context).transitions(CircuitState.CLOSED, CircuitState.OPEN)
                + breaker(context).transitions(CircuitState.HALF_OPEN, CircuitState.OPEN);
    }

    private static MessageListenerContainer onlyContainer(KafkaApplication shop) {
        return shop.bean(KafkaListenerEndpointRegistry.class)
                .getListenerContainers()
                .iterator()
                .next();
    }

    @SuppressWarnings("unchecked") // Boot's own, whose serializers are those of texts
    private static void sendAll(KafkaApplication shop) {
        KafkaTemplate<String, String> template = shop.bean(KafkaTemplate.class);
        for (int i = 0; i < MESSAGES; i++) {
            template.send(shop.topic, i % 3, null, "order " + i);
        }
        template.flush();
    }

    /** It is down for more probes than a container of Kafka would try a record. */
    @Test
    void aTopicWaitsForTheBackendWithoutDeadLetters() {
        try (KafkaApplication shop = new KafkaApplication(
                pausing("spring.kafka.listener.concurrency=3"),
                OfKafka.class,
                Backend.class,
                KafkaApplication.GivenUp.class)) {
            Backend backend = shop.bean(Backend.class);
            backend.isDown = true;
            sendAll(shop);
            await(() -> openings(shop.context) > 12);
            assertThat(backend.done).isEmpty();
            backend.isDown = false;
            await(() -> backend.done.size() == MESSAGES);
            assertThat(shop.bean(KafkaApplication.GivenUp.class).all).isEmpty();
            await(() -> shop.isAllAcknowledged());
        }
    }

    /** Though the error handler would give a failure up at once. */
    @Test
    void aMessageThatComesWhileAProbeRunsIsNotGivenUp() {
        try (KafkaApplication shop = new KafkaApplication(
                pausing(),
                OfKafka.class,
                Backend.class,
                KafkaApplication.GivenUp.class,
                KafkaOutcomesTests.GivesUpAtOnce.class)) {
            dev.resilience.circuitbreaker.CircuitBreaker breaker = breaker(shop.context);
            breaker.forceOpen();
            breaker.halfOpen();
            CompletableFuture<Void> probe = shop.effects.runSlowly(() -> shop.bean(ResilienceRegistry.class)
                    .outermostFirst(breaker)
                    .run(() -> shop.effects.add(Effects.SLOW)));
            shop.send(null, "order");
            await(() -> breaker.calls().get(CircuitBreakerOutcome.REJECTED) > 0);
            shop.effects.endSlow();
            probe.join();
            await(() -> shop.bean(Backend.class).done.contains("order"));
            assertThat(shop.bean(KafkaApplication.GivenUp.class).all).isEmpty();
        }
    }

    @Test
    void withoutTheKeyMessagesGoToTheRecoverer() {
        try (KafkaApplication shop = new KafkaApplication(
                List.of(BREAKER + "open-duration=1m"), OfKafka.class, Backend.class, KafkaApplication.GivenUp.class)) {
            shop.bean(Backend.class).isDown = true;
            List.of("1", "2", "3").forEach(order -> shop.send(null, order));
            await(() -> shop.bean(KafkaApplication.GivenUp.class).all.size() == 3);
            assertThat(onlyContainer(shop).isPauseRequested()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OfKafka.class, OfKafkaClass.class})
    void aForcedOpenBreakerKeepsThemPausedUntilItIsClosed(Class<?> listener) {
        try (KafkaApplication shop =
                new KafkaApplication(pausing(), listener, Backend.class, KafkaApplication.GivenUp.class)) {
            breaker(shop.context).forceOpen();
            assertThat(onlyContainer(shop).isPauseRequested()).isTrue();
            breaker(shop.context).close();
            assertThat(onlyContainer(shop).isPauseRequested()).isFalse();
            shop.send(null, "order");
            await(() -> shop.bean(Backend.class).done.contains("order"));
        }
    }

    @Test
    void aBreakerThatIsOpenFromTheStartPausesThem() {
        try (KafkaApplication shop =
                new KafkaApplication(pausing(BREAKER + "initial-state=forced-open"), OfKafka.class, Backend.class)) {
            assertThat(onlyContainer(shop).isPauseRequested()).isTrue();
        }
    }

    @Test
    void whatTheApplicationHasPausedStaysPaused() {
        try (KafkaApplication shop = new KafkaApplication(pausing(), OfKafka.class, Backend.class)) {
            onlyContainer(shop).pause();
            breaker(shop.context).forceOpen();
            breaker(shop.context).close();
            assertThat(onlyContainer(shop).isPauseRequested()).isTrue();
        }
    }

    @Test
    @Timeout(25)
    void theApplicationEndsAlthoughAContainerIsPaused() {
        MessageListenerContainer container;
        try (KafkaApplication shop = new KafkaApplication(pausing(), OfKafka.class, Backend.class)) {
            container = onlyContainer(shop);
            breaker(shop.context).forceOpen();
        }
        assertThat(container.isRunning()).isFalse();
    }

    /** What listeners call. */
    static class Backend implements AutoCloseable {

        final Set<String> done = ConcurrentHashMap.newKeySet();
        private final AtomicInteger calls = new AtomicInteger();
        volatile boolean isDown;
        volatile int comesBack = Integer.MAX_VALUE;
        volatile Runnable atTheEnd = () -> {};

        void call(String order) {
            if (isDown && calls.incrementAndGet() <= comesBack) {
                throw new IllegalStateException("down");
            }
            done.add(order);
        }

        @Override
        public void close() {
            atTheEnd.run();
        }
    }

    static class OfKafka {

        private final Backend backend;

        OfKafka(Backend backend) {
            this.backend = backend;
        }

        @KafkaListener(topics = "${topic}")
        @CircuitBreaker("backend")
        public void ship(String order) {
            backend.call(order);
        }
    }

    @KafkaListener(topics = "${topic}")
    static class OfKafkaClass {

        private final Backend backend;

        OfKafkaClass(Backend backend) {
            this.backend = backend;
        }

        @KafkaHandler
        @CircuitBreaker("backend")
        public void ship(String order) {
            backend.call(order);
        }
    }
}
