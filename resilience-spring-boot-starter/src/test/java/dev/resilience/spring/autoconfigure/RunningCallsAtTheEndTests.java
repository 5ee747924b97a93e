package dev.resilience.spring.autoconfigure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.registry.ResilienceLifecycle;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ConfigurableApplicationContext;

/** What runs for an asynchronous call when the application stops, on each kind of thread that is not its caller's. */
@Timeout(120)
class RunningCallsAtTheEndTests extends FailingStartup {

    private static final String YAML = """
            resilience:
              retry.default:
                backoff: {base-delay: 0}
                budget: none
              bulkhead:
                default: {max-concurrent: 1, queue-timeout: 1h}
                pool: {type: thread-pool, max-concurrent: 1, queue-timeout: 1h}
              idempotency.default: {on-in-progress: wait, wait-timeout: 1h, lease: 1h, max-lease: 1h}
              idempotency-store.type: memory
            """;
    private static final Duration SOON = Duration.ofSeconds(30);

    private @Nullable ConfigurableApplicationContext context;
    private Shop shop = new Shop();

    /** How a call comes to a thread that is not its caller's. */
    enum CallMode {
        LATER_ATTEMPT {
            @Override
            CompletableFuture<String> call(Shop shop) throws InterruptedException {
                return shop.failAtFirst();
            }
        },
        AFTER_THE_LINE {
            @Override
            CompletableFuture<String> call(Shop shop) throws InterruptedException {
                return afterFirst(shop, shop::standInLine);
            }
        },
        AFTER_THE_KEY {
            @Override
            CompletableFuture<String> call(Shop shop) throws InterruptedException {
                return afterFirst(shop, () -> shop.waitForKey("k"));
            }
        },
        IN_A_POOL {
            @Override
            CompletableFuture<String> call(Shop shop) throws InterruptedException {
                return shop.runInPool();
            }
        },
        IN_A_POOL_AFTER_THE_LINE {
            @Override
            CompletableFuture<String> call(Shop shop) throws InterruptedException {
                return afterFirst(shop, shop::runInPool);
            }
        };

        private interface Call {

            CompletableFuture<String> make() throws InterruptedException;
        }

        abstract CompletableFuture<String> call(Shop shop) throws InterruptedException;

        /** The first one ends when the second one waits. */
        private static CompletableFuture<String> afterFirst(Shop shop, Call method) throws InterruptedException {
            shop.holdFirst();
            CompletableFuture<String> held = method.make();
            CompletableFuture<String> second = method.make();
            shop.failFirst();
            assertThat(held).failsWithin(SOON);
            return second;
        }
    }

    private CompletableFuture<String> start(String grace, CallMode mode, boolean blocks) throws InterruptedException {
        ConfigurableApplicationContext started =
                start("spring.lifecycle.timeout-per-shutdown-phase: " + grace + "\n" + YAML, Shop.class);
        context = started;
        shop = started.getBean(Shop.class);
        shop.block(blocks);
        CompletableFuture<String> call = mode.call(shop);
        await().until(() -> shop.running() == 1);
        return call;
    }

    @AfterEach
    void close() {
        shop.release();
        if (context != null) {
            context.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMethodThatRunsIsWaitedFor(CallMode mode) throws InterruptedException {
        assertIsWaitedFor(mode, start("30s", mode, true));
    }

    @ParameterizedTest
    @EnumSource
    void aStageThatHasNotEndedIsWaitedFor(CallMode mode) throws InterruptedException {
        assertIsWaitedFor(mode, start("30s", mode, false));
    }

    private void assertIsWaitedFor(CallMode mode, CompletableFuture<String> call) {
        ConfigurableApplicationContext closed = requireNonNull(context);
        ResilienceLifecycle shutdown = closed.getBean("resilienceDrain", ResilienceLifecycle.class);
        ResilienceRegistry registry = closed.getBean(ResilienceRegistry.class);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(closed::close);
        await().until(() -> !shutdown.isRunning());
        assertThat(closing).isNotDone();
        assertThat(call).isNotDone();

        shop.release();

        assertThat(closing).succeedsWithin(SOON);
        assertThat(call).succeedsWithin(SOON).isEqualTo("done");
        assertThat(shop.wasDestroyedBeforeTheEnd()).isFalse();
        if (mode == CallMode.AFTER_THE_KEY) {
            assertThat(registry.idempotencies().get("default").calls().get(IdempotencyOutcome.EXECUTED))
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMethodThatDoesNotEndInTimeIsInterrupted(CallMode mode) throws InterruptedException {
        CompletableFuture<String> call = start("1ms", mode, true);

        requireNonNull(context).close();

        assertThat(call).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(InterruptedException.class);
    }

    @ParameterizedTest
    @EnumSource
    void aStageThatDoesNotEndInTimeIsCancelled(CallMode mode) throws InterruptedException {
        CompletableFuture<String> call = start("1ms", mode, false);

        requireNonNull(context).close();

        await().until(() -> shop.stage().isCancelled());
        assertThat(call).failsWithin(SOON);
    }

    static class Shop implements DisposableBean {

        private final CompletableFuture<String> first = new CompletableFuture<>();
        private final CompletableFuture<String> stage = new CompletableFuture<>();
        private final CountDownLatch end = new CountDownLatch(1);
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger attempts = new AtomicInteger();
        private volatile boolean blocks;
        private volatile boolean holdsFirst;
        private volatile boolean wasDestroyedBeforeTheEnd;

        int running() {
            return running.get();
        }

        CompletableFuture<String> stage() {
            return stage;
        }

        boolean wasDestroyedBeforeTheEnd() {
            return wasDestroyedBeforeTheEnd;
        }

        void block(boolean does) {
            blocks = does;
        }

        void holdFirst() {
            holdsFirst = true;
        }

        void failFirst() {
            first.completeExceptionally(new IllegalStateException("of the first call"));
        }

        void release() {
            end.countDown();
            stage.complete("done");
        }

        @Override
        public void destroy() {
            wasDestroyedBeforeTheEnd = end.getCount() > 0;
        }

        @Retryable("default")
        public CompletableFuture<String> failAtFirst() throws InterruptedException {
            return attempts.incrementAndGet() == 1
                    ? CompletableFuture.failedFuture(new ConnectException("refused"))
                    : run();
        }

        @Bulkhead("default")
        public CompletableFuture<String> standInLine() throws InterruptedException {
            return firstOrRun();
        }

        @Bulkhead("pool")
        public CompletableFuture<String> runInPool() throws InterruptedException {
            return firstOrRun();
        }

        @Idempotent(key = "#key")
        public CompletableFuture<String> waitForKey(String key) throws InterruptedException {
            return firstOrRun();
        }

        private CompletableFuture<String> firstOrRun() throws InterruptedException {
            return holdsFirst && attempts.incrementAndGet() == 1 ? first : run();
        }

        private CompletableFuture<String> run() throws InterruptedException {
            running.incrementAndGet();
            if (!blocks) {
                return stage;
            }
            end.await();
            return CompletableFuture.completedFuture("done");
        }
    }
}
