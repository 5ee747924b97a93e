package dev.resilience.messaging;

import static dev.resilience.messaging.FailingBackend.FAILING;
import static dev.resilience.messaging.KafkaApplication.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.messaging.RabbitBrokerRetriesTests.Listener;
import dev.resilience.messaging.RabbitBrokerRetriesTests.Retried;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.listener.ContainerUtils;
import org.springframework.amqp.rabbit.annotation.RabbitListener;

/** What a container of RabbitMQ gets when a listener's retry has run out. */
class RabbitRetriesTests {

    private static final Log LOG = LogFactory.getLog(RabbitRetriesTests.class);
    private static final String[] LONG_WAIT = {
        "resilience.retry.default.backoff.base-delay=30s", "resilience.retry.default.backoff.jitter=none"
    };
    private static final String SUPPRESSED = "resilience.retry.default.nested=suppress";

    private static RabbitDeliveries shop(Class<?> listener, Class<?> backend, String... properties) {
        List<String> all = new ArrayList<>(FailingBackend.THREE_ATTEMPTS);
        all.addAll(Arrays.asList(properties));
        return new RabbitDeliveries(all, listener, backend);
    }

    private static boolean isRequeued(RabbitDeliveries shop, boolean redelivered) {
        return ContainerUtils.shouldRequeue(true, catchThrowable(() -> shop.deliver("m", FAILING, redelivered)), LOG);
    }

    private static int calls(RabbitDeliveries shop) {
        return shop.bean(FailingBackend.class).calls();
    }

    @Test
    void aMessageWhoseRetriesHaveRunOutIsRejectedForGood() {
        try (RabbitDeliveries shop = shop(Retried.class, FailingBackend.class)) {
            assertThat(isRequeued(shop, false)).isFalse();
            assertThat(calls(shop)).isEqualTo(3);
        }
    }

    /** It may have been delivered before to a process that died. */
    @Test
    void soIsOneThatWasDeliveredBefore() {
        try (RabbitDeliveries shop = shop(Retried.class, FailingBackend.class)) {
            assertThat(isRequeued(shop, true)).isFalse();
            assertThat(calls(shop)).isEqualTo(3);
        }
    }

    /** It has not tried all that it may. */
    @Test
    void aRetryThatTheEndOfTheApplicationCutsShortPutsTheMessageBack() {
        CompletableFuture<Boolean> requeued;
        try (RabbitDeliveries shop = shop(Retried.class, FailingBackend.class, LONG_WAIT)) {
            requeued = CompletableFuture.supplyAsync(() -> isRequeued(shop, false), Effects.OWN_THREAD);
            await(() -> calls(shop) == 1);
        }
        assertThat(requeued).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(true);
    }

    @Test
    void soDoesOneThatAnInterruptCutsShort() throws InterruptedException {
        try (RabbitDeliveries shop = shop(Retried.class, FailingBackend.class, LONG_WAIT)) {
            CompletableFuture<Boolean> requeued = new CompletableFuture<>();
            Thread listener = new Thread(() -> requeued.complete(isRequeued(shop, false)));
            listener.start();
            await(() -> calls(shop) == 1);
            listener.interrupt();
            assertThat(requeued).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(true);
        }
    }

    @Test
    void aBatchIsPutBack() {
        try (RabbitDeliveries shop = shop(Batches.class, FailingBackend.class)) {
            Throwable told = catchThrowable(() -> shop.deliverBatch(FAILING));
            assertThat(ContainerUtils.shouldRequeue(true, told, LOG)).isTrue();
            assertThat(calls(shop)).isEqualTo(3);
        }
    }

    @Test
    void aCallThatNoContainerMakesGetsTheFailureItself() {
        try (RabbitDeliveries shop =
                shop(Retried.class, FailingBackend.class, "resilience.retry.default.dead-letter=true")) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> shop.bean(Retried.class).ship(FAILING))
                    .withNoCause();
        }
    }

    @Test
    void aRetryThatLeavesItToOthersTriesOnceWhatIsDeliveredAgain() {
        try (RabbitDeliveries shop = shop(Retried.class, FailingBackend.class, SUPPRESSED)) {
            assertThat(isRequeued(shop, false)).isTrue();
            assertThat(isRequeued(shop, true)).isTrue();
            assertThat(calls(shop)).isEqualTo(3 + 1);
        }
    }

    @Test
    void soDoesThatOfAMethodThatTheListenerCalls() {
        try (RabbitDeliveries shop = shop(Listener.class, FailingBackend.Retried.class, SUPPRESSED)) {
            assertThat(isRequeued(shop, true)).isTrue();
            assertThat(calls(shop)).isEqualTo(1);
        }
    }

    @Test
    void aDeadLetterIsAllThatIsKept() {
        try (RabbitDeliveries shop =
                shop(Retried.class, FailingBackend.class, "resilience.retry.default.dead-letter=true")) {
            shop.deliver("m", FAILING, true);
            assertThat(calls(shop)).isEqualTo(3);
            assertThat(shop.bean(DeadLetterStore.class).list("default", 10)).hasSize(1);
        }
    }

    static class Batches {

        private final FailingBackend backend;

        Batches(FailingBackend backend) {
            this.backend = backend;
        }

        @Retryable
        @RabbitListener(queues = "orders", batch = "true")
        public void ship(List<String> orders) {
            orders.forEach(backend::call);
        }
    }
}
