package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.event.RetryOutcome;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.registry.ResilienceLifecycle;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.support.GenericApplicationContext;

/**
 * What waits when the application is told to stop ends at once, in real time: here a call would wait for an hour. What runs
 * may come to its end.
 */
@Timeout(120)
class EndOfTheApplicationTests extends FailingStartup {

    private static final String WAITING = """
            resilience:
              retry:
                default:
                  backoff: {strategy: fixed, base-delay: 1h, max-delay: 1h, jitter: none}
                  budget: none
                at-once:
                  backoff: {base-delay: 0}
              bulkhead.default: {max-concurrent: 1, queue-timeout: 1h}
              idempotency.default: {on-in-progress: wait, wait-timeout: 1h, lease: 1h, max-lease: 1h}
              idempotency-store.type: memory
            """;
    private static final Duration SOON = Duration.ofSeconds(30);

    private ConfigurableApplicationContext context;
    private Shop shop;
    private ResilienceRegistry registry;

    @BeforeEach
    void start() {
        start(WAITING);
    }

    private void start(String yaml) {
        context = start(yaml, Shop.class, Early.class);
        shop = context.getBean(Shop.class);
        registry = context.getBean(ResilienceRegistry.class);
    }

    @AfterEach
    void close() {
        shop.release();
        context.close();
    }

    @Test
    void aThousandAsynchronousRetriesThatWaitHoldNobodyUp() {
        List<CompletableFuture<String>> calls =
                Stream.generate(shop::failLater).limit(1_000).toList();

        context.close();

        assertThat(calls)
                .allSatisfy(call -> assertThat(call)
                        .failsWithin(SOON)
                        .withThrowableThat()
                        .withCauseInstanceOf(ConnectException.class));
        assertThat(shop.attempts()).isEqualTo(1_000);
        assertThat(retries(RetryOutcome.INTERRUPTED)).isEqualTo(1_000);
    }

    @Test
    void aBlockingRetryThatWaitsEndsWithTheFailureInHandAndNoInterrupt() {
        Caller caller = new Caller(shop::fail);
        caller.awaitWaiting();

        context.close();

        assertThat(caller).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(ConnectException.class);
        assertThat(caller.wasInterrupted).isFalse();
        assertThat(shop.attempts()).isEqualTo(1);
        assertThat(retries(RetryOutcome.INTERRUPTED)).isEqualTo(1);
    }

    @Test
    void noWaitBeginsAfterwards() {
        context.stop();

        assertThatThrownBy(shop::fail).isInstanceOf(ConnectException.class);
        assertThat(shop.failLater()).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(ConnectException.class);
        assertThat(retries(RetryOutcome.INTERRUPTED)).isEqualTo(2);
    }

    @Test
    void anApplicationThatIsStartedAgainWaitsAgain() {
        context.stop();
        context.start();

        CompletableFuture<String> call = shop.failLater();

        assertThat(call).isNotDone();
        context.close();
        assertThat(call).failsWithin(SOON);
    }

    @Test
    void aBeanThatStartsBeforeAllOthersWaitsAgain() {
        context.stop();
        context.start();

        assertThat(context.getBean(Early.class).call).isNotDone();
    }

    @Test
    void aContextBelowThatIsClosedEndsNoWait() {
        GenericApplicationContext below = new GenericApplicationContext(context);
        below.refresh();
        CompletableFuture<String> call = shop.failLater();

        below.close();

        assertThat(call).isNotDone();
        assertThat(shop.failLater()).isNotDone();
    }

    @Test
    void callsInTheLineOfABulkheadAreRefusedAndThoseThatRunGoOn() {
        CompletableFuture<String> running = shop.hold();
        CompletableFuture<String> later = shop.hold();
        Caller caller = new Caller(shop::holdBlocking);
        caller.awaitWaiting();

        context.stop();

        assertThat(later).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(BulkheadFullException.class);
        assertThat(caller).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(BulkheadFullException.class);
        assertThat(caller.wasInterrupted).isFalse();
        assertThatThrownBy(shop::holdBlocking)
                .isInstanceOf(BulkheadFullException.class)
                .hasMessageContaining("the application ends");
        assertThat(registry.bulkheads().get("default").calls().get(BulkheadOutcome.REJECTED))
                .isEqualTo(3);
        assertThat(running).isNotDone();
        shop.release();
        assertThat(running).isCompletedWithValue("held");
    }

    @Test
    void callsThatWaitForTheirKeyAreToldThatItIsInProgress() {
        CompletableFuture<String> running = shop.payLater("key");
        CompletableFuture<String> later = shop.payLater("key");
        CompletableFuture<String> blocking = CompletableFuture.supplyAsync(() -> shop.pay("key"));
        await().until(() -> shop.attempts() == 2);
        Caller caller = new Caller(() -> shop.pay("key"));
        caller.awaitWaiting();

        context.stop();

        assertThat(later)
                .failsWithin(SOON)
                .withThrowableThat()
                .withCauseInstanceOf(IdempotencyInProgressException.class);
        assertThat(caller)
                .failsWithin(SOON)
                .withThrowableThat()
                .withCauseInstanceOf(IdempotencyInProgressException.class);
        assertThat(registry.idempotencies().get("default").calls().get(IdempotencyOutcome.IN_PROGRESS))
                .isEqualTo(2);
        shop.release();
        assertThat(running).succeedsWithin(SOON);
        assertThat(blocking).succeedsWithin(SOON);
    }

    @Test
    void aLaterAttemptThatRunsIsWaitedFor() throws Exception {
        CompletableFuture<String> call = shop.blockAtSecondAttempt();
        await().until(() -> shop.attempts() == 2);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(context::close);
        ResilienceLifecycle shutdown = context.getBean("resilienceDrain", ResilienceLifecycle.class);
        await().until(() -> !shutdown.isRunning());
        assertThat(closing).isNotDone();

        shop.release();

        assertThat(closing).succeedsWithin(SOON);
        assertThat(call).isCompletedWithValue("attempt 2");
        assertThat(shop.wasDestroyedBeforeTheEnd()).isFalse();
    }

    @Test
    void aLaterAttemptWhoseStageHasNotEndedIsWaitedFor() {
        CompletableFuture<String> call = shop.pendAtSecondAttempt();
        await().until(() -> shop.attempts() == 2);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(context::close);
        ResilienceLifecycle shutdown = context.getBean("resilienceDrain", ResilienceLifecycle.class);
        await().until(() -> !shutdown.isRunning());
        assertThat(closing).isNotDone();

        shop.stage().complete("done");

        assertThat(closing).succeedsWithin(SOON);
        assertThat(call).isCompletedWithValue("done");
    }

    @Test
    void laterAttemptsThatDoNotEndInTimeAreInterruptedOrCancelled() throws Exception {
        context.close();
        start("spring.lifecycle.timeout-per-shutdown-phase: 1ms\n" + WAITING);
        CompletableFuture<String> blocked = shop.blockAtSecondAttempt();
        await().until(() -> shop.attempts() == 2);
        CompletableFuture<String> pending = shop.pendAtSecondAttempt();
        await().until(() -> shop.attempts() == 4);

        context.close();

        assertThat(blocked).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(InterruptedException.class);
        await().until(() -> shop.stage().isCancelled());
        assertThat(pending).failsWithin(SOON);
        assertThat(shop.attempts()).isEqualTo(4);
    }

    private long retries(RetryOutcome outcome) {
        return registry.retries().get("default").calls().get(outcome);
    }

    /** A thread of its own that makes a call. */
    private static final class Caller extends CompletableFuture<String> {

        private final Thread thread;
        private volatile boolean wasInterrupted;

        Caller(Callable<String> call) {
            thread = new Thread(() -> {
                try {
                    complete(call.call());
                } catch (Throwable failure) {
                    wasInterrupted = Thread.currentThread().isInterrupted();
                    completeExceptionally(failure);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        void awaitWaiting() {
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        }
    }

    /** Calls as soon as it is started. */
    static class Early implements SmartLifecycle {

        private final Shop shop;
        private volatile boolean running;
        private volatile CompletableFuture<String> call = new CompletableFuture<>();

        Early(Shop shop) {
            this.shop = shop;
        }

        @Override
        public void start() {
            running = true;
            call = shop.failLater();
        }

        @Override
        public void stop() {
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public boolean isAutoStartup() {
            return false;
        }

        @Override
        public int getPhase() {
            return Integer.MIN_VALUE + 1;
        }
    }

    static class Shop implements DisposableBean {

        private final AtomicInteger attempts = new AtomicInteger();
        private final CountDownLatch end = new CountDownLatch(1);
        private final CompletableFuture<String> held = new CompletableFuture<>();
        private final CompletableFuture<String> stage = new CompletableFuture<>();
        private volatile boolean destroyedBeforeTheEnd;

        int attempts() {
            return attempts.get();
        }

        CompletableFuture<String> stage() {
            return stage;
        }

        boolean wasDestroyedBeforeTheEnd() {
            return destroyedBeforeTheEnd;
        }

        void release() {
            end.countDown();
            held.complete("held");
        }

        @Override
        public void destroy() {
            destroyedBeforeTheEnd = end.getCount() > 0;
        }

        @Retryable("default")
        public String fail() throws ConnectException {
            attempts.incrementAndGet();
            throw new ConnectException("refused");
        }

        @Retryable("default")
        public CompletableFuture<String> failLater() {
            attempts.incrementAndGet();
            return CompletableFuture.failedFuture(new ConnectException("refused"));
        }

        @Retryable("at-once")
        public CompletableFuture<String> blockAtSecondAttempt() throws InterruptedException {
            int attempt = attempts.incrementAndGet();
            if (attempt % 2 == 1) {
                return CompletableFuture.failedFuture(new ConnectException("refused"));
            }
            end.await();
            return CompletableFuture.completedFuture("attempt " + attempt);
        }

        @Retryable("at-once")
        public CompletableFuture<String> pendAtSecondAttempt() {
            return attempts.incrementAndGet() % 2 == 1
                    ? CompletableFuture.failedFuture(new ConnectException("refused"))
                    : stage;
        }

        @Bulkhead("default")
        public CompletableFuture<String> hold() {
            return held;
        }

        @Bulkhead("default")
        public String holdBlocking() {
            return "not held";
        }

        @Idempotent(key = "#key")
        public CompletableFuture<String> payLater(String key) {
            attempts.incrementAndGet();
            return held;
        }

        @Idempotent(key = "#key")
        public String pay(String key) {
            attempts.incrementAndGet();
            return held.join();
        }
    }
}
