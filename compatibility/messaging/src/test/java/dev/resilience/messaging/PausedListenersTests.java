package dev.resilience.messaging;

import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.ResilienceRegistry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.listener.ContainerUtils;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.Lifecycle;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.JmsListenerEndpointRegistry;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.MessageListenerContainer;

/** Listeners whose circuit breaker has {@code pause-listeners} get nothing while it is open, and everything afterwards. */
class PausedListenersTests {

    private static final String BREAKER = "resilience.circuit-breaker.backend.";
    private static final Log LOG = LogFactory.getLog(PausedListenersTests.class);
    private static final int MESSAGES = 10_000;

    private static List<String> properties(String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        all.add(BREAKER + "open-duration=100ms");
        all.add(BREAKER + "open-duration-multiplier=1");
        return all;
    }

    private static List<String> pausing(String... more) {
        List<String> all = properties(more);
        all.add(BREAKER + "pause-listeners=true");
        return all;
    }

    private static List<String> retried(List<String> properties) {
        properties.add("resilience.retry.default.max-attempts=2");
        properties.add("resilience.retry.default.backoff.base-delay=1ms");
        properties.add("resilience.retry.default.retry-on=java.lang.IllegalStateException");
        return properties;
    }

    private static dev.resilience.circuitbreaker.CircuitBreaker breaker(ConfigurableApplicationContext context) {
        return context.getBean(ResilienceRegistry.class).circuitBreaker("backend");
    }

    private static long openings(ConfigurableApplicationContext context) {
        return breaker(context).transitions(CircuitState.CLOSED, CircuitState.OPEN)
                + breaker(context).transitions(CircuitState.HALF_OPEN, CircuitState.OPEN);
    }

    private static MessageListenerContainer onlyContainer(KafkaApplication shop) {
        return shop.bean(KafkaListenerEndpointRegistry.class)
                .getListenerContainers()
                .iterator()
                .next();
    }

    private static <C extends Lifecycle> C only(Collection<C> containers) {
        return containers.iterator().next();
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
        try (KafkaApplication shop =
                new KafkaApplication(properties(), OfKafka.class, Backend.class, KafkaApplication.GivenUp.class)) {
            shop.bean(Backend.class).isDown = true;
            sendAll(shop);
            await(() -> shop.bean(KafkaApplication.GivenUp.class).all.size() > 10);
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

    /** Its broker gives a message up after three deliveries. */
    @Test
    void aQueueOfJmsWaitsForTheBackendWithoutDeadLetters() {
        try (JmsApplication shop =
                new JmsApplication(pausing(BREAKER + "failure-threshold=2"), OfJms.class, Backend.class)) {
            Backend backend = shop.bean(Backend.class);
            backend.isDown = true;
            backend.comesBack = 2;
            for (int i = 0; i < 300; i++) {
                shop.send(null, "order " + i);
            }
            await(() -> backend.done.size() == 300);
            assertThat(openings(shop.context)).isEqualTo(1);
            assertThat(shop.waiting(JmsApplication.DEAD)).isZero();
        }
    }

    @Test
    @Timeout(25)
    void aStoppedContainerOfJmsDoesNotStartWithTheEnd() {
        Lifecycle container;
        try (JmsApplication shop = new JmsApplication(pausing(), OfJms.class, Backend.class)) {
            container = only(shop.bean(JmsListenerEndpointRegistry.class).getListenerContainers());
            breaker(shop.context).forceOpen();
            assertThat(container.isRunning()).isFalse();
            dev.resilience.circuitbreaker.CircuitBreaker breaker = breaker(shop.context);
            shop.bean(Backend.class).atTheEnd = breaker::close;
        }
        assertThat(container.isRunning()).isFalse();
    }

    @Test
    void aContainerOfRabbitStopsAndStarts() {
        try (RabbitDeliveries shop = new RabbitDeliveries(
                List.of(
                        BREAKER + "failure-threshold=2",
                        BREAKER + "open-duration=3s",
                        BREAKER + "pause-listeners=true"),
                OfRabbit.class,
                Backend.class)) {
            Lifecycle container =
                    only(shop.bean(RabbitListenerEndpointRegistry.class).getListenerContainers());
            shop.bean(Backend.class).isDown = true;
            assertThat(catchThrowable(() -> shop.deliver(null, "order"))).isNotNull();
            assertThat(container.isRunning()).isTrue();
            assertThat(catchThrowable(() -> shop.deliver(null, "order"))).isNotNull();
            await(() -> !container.isRunning());
            shop.bean(Backend.class).isDown = false;
            await(container::isRunning);
            shop.deliver(null, "order");
            assertThat(shop.bean(Backend.class).done).containsExactly("order");
        }
    }

    /** Its retry takes the place of the container's, and has tried all that it may. */
    @Test
    void aMessageOfRabbitWhoseRetriesRunOutIsPutBackIfTheBreakerIsOpen() {
        try (RabbitDeliveries shop = new RabbitDeliveries(
                retried(pausing(BREAKER + "failure-threshold=2")), RetriedOfRabbit.class, Backend.class)) {
            shop.bean(Backend.class).isDown = true;
            assertThat(isRequeued(shop)).isFalse();
            assertThat(isRequeued(shop)).isTrue();
        }
    }

    @Test
    void withoutTheKeyItIsRejected() {
        try (RabbitDeliveries shop = new RabbitDeliveries(
                retried(properties(BREAKER + "failure-threshold=1")), RetriedOfRabbit.class, Backend.class)) {
            shop.bean(Backend.class).isDown = true;
            assertThat(isRequeued(shop)).isFalse();
        }
    }

    private static boolean isRequeued(RabbitDeliveries shop) {
        return ContainerUtils.shouldRequeue(true, catchThrowable(() -> shop.deliver(null, "order")), LOG);
    }

    /** The attempts of its retry are one failure for the breaker and one delivery of the broker. */
    @Test
    void aMessageOfJmsWhoseRetriesRunOutComesAgainWhenTheBreakerLetsItTry() {
        try (JmsApplication shop = new JmsApplication(
                retried(pausing(BREAKER + "failure-threshold=1")), RetriedOfJms.class, Backend.class)) {
            Backend backend = shop.bean(Backend.class);
            backend.isDown = true;
            backend.comesBack = 3;
            shop.send(null, "order");
            await(() -> backend.done.contains("order"));
            assertThat(openings(shop.context)).isEqualTo(1);
            assertThat(shop.waiting(JmsApplication.DEAD)).isZero();
        }
    }

    /** Though the error handler would give a failure up at once. */
    @Test
    void aMessageOfKafkaWhoseRetriesRunOutComesAgainWhenTheBreakerLetsItTry() {
        try (KafkaApplication shop = new KafkaApplication(
                retried(pausing(BREAKER + "failure-threshold=1")),
                RetriedOfKafka.class,
                Backend.class,
                KafkaApplication.GivenUp.class,
                KafkaOutcomesTests.GivesUpAtOnce.class)) {
            Backend backend = shop.bean(Backend.class);
            backend.isDown = true;
            backend.comesBack = 5;
            shop.send(null, "order");
            await(() -> backend.done.contains("order"));
            assertThat(shop.bean(KafkaApplication.GivenUp.class).all).isEmpty();
        }
    }

    @Test
    void aCallThatNoContainerMakesGetsTheRefusalItself() {
        try (RabbitDeliveries shop = new RabbitDeliveries(retried(pausing()), RetriedOfRabbit.class, Backend.class)) {
            breaker(shop.context).forceOpen();
            assertThatExceptionOfType(CircuitOpenException.class)
                    .isThrownBy(() -> shop.bean(RetriedOfRabbit.class).ship("order"));
        }
    }

    @Test
    void aContainerThatTheApplicationHasStoppedIsNotStarted() {
        try (RabbitDeliveries shop = new RabbitDeliveries(pausing(), OfRabbit.class, Backend.class)) {
            Lifecycle container =
                    only(shop.bean(RabbitListenerEndpointRegistry.class).getListenerContainers());
            container.stop();
            breaker(shop.context).forceOpen();
            breaker(shop.context).close();
            assertThat(container.isRunning()).isFalse();
        }
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

    static class OfJms {

        private final Backend backend;

        OfJms(Backend backend) {
            this.backend = backend;
        }

        @JmsListener(destination = JmsApplication.QUEUE)
        @CircuitBreaker("backend")
        public void ship(String order) {
            backend.call(order);
        }
    }

    static class OfRabbit {

        private final Backend backend;

        OfRabbit(Backend backend) {
            this.backend = backend;
        }

        @RabbitListener(queues = "orders")
        @CircuitBreaker("backend")
        public void ship(String order) {
            backend.call(order);
        }
    }

    static class RetriedOfKafka extends OfKafka {

        RetriedOfKafka(Backend backend) {
            super(backend);
        }

        @Override
        @KafkaListener(topics = "${topic}")
        @CircuitBreaker("backend")
        @Retryable
        public void ship(String order) {
            super.ship(order);
        }
    }

    static class RetriedOfJms extends OfJms {

        RetriedOfJms(Backend backend) {
            super(backend);
        }

        @Override
        @JmsListener(destination = JmsApplication.QUEUE)
        @CircuitBreaker("backend")
        @Retryable
        public void ship(String order) {
            super.ship(order);
        }
    }

    static class RetriedOfRabbit extends OfRabbit {

        RetriedOfRabbit(Backend backend) {
            super(backend);
        }

        @Override
        @RabbitListener(queues = "orders")
        @CircuitBreaker("backend")
        @Retryable
        public void ship(String order) {
            super.ship(order);
        }
    }
}
