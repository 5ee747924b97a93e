package dev.resilience.spring.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.context.Attempt;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceJdbcAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceTransactionAutoConfiguration;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.Transactional;

/**
 * With {@code spring.threads.virtual.enabled} no call holds a carrier while it waits. From Java 24 on, where a monitor pins no
 * thread; before that all that blocks in one may pin it, in the JDK and in drivers.
 */
@Timeout(120)
@EnabledForJreRange(min = JRE.JAVA_24)
class VirtualThreadsTests {

    private static final Map<String, Call> CALLS = Map.of(
            "retry", (shop, number) -> shop.retry(),
            "retry of future", (shop, number) -> shop.retryOfFuture().get(),
            "async", (shop, number) -> shop.async().get(),
            "semaphore", (shop, number) -> shop.semaphore(),
            "pool", (shop, number) -> shop.pool(),
            "virtual pool", (shop, number) -> shop.virtualPool(),
            "limit", (shop, number) -> shop.limit(),
            "worker", (shop, number) -> shop.worker(),
            "idempotent", (shop, number) -> shop.idempotent(number / 10),
            "transactional", (shop, number) -> shop.transactional(number / 10));

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(SortedOnce.of(
                    AopAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    ResilienceAutoConfiguration.class,
                    ResilienceJdbcAutoConfiguration.class,
                    ResilienceTransactionAutoConfiguration.class,
                    TaskExecutionAutoConfiguration.class,
                    TransactionAutoConfiguration.class))
            .withPropertyValues(
                    "spring.threads.virtual.enabled=true",
                    "resilience.retry.default.backoff.base-delay=2ms",
                    "resilience.retry.default.budget=none",
                    "resilience.bulkhead.default.max-concurrent=8",
                    "resilience.bulkhead.default.max-queue=1000",
                    "resilience.bulkhead.pool.type=thread-pool",
                    "resilience.bulkhead.virtual.type=thread-pool",
                    "resilience.bulkhead.virtual.virtual-threads=true",
                    "resilience.time-limit.default.timeout=60s",
                    "resilience.time-limit.worker.thread=worker",
                    "resilience.idempotency.default.on-in-progress=wait",
                    "resilience.idempotency.default.wait-timeout=60s")
            .withUserConfiguration(Asynchronous.class)
            .withBean(Shop.class);

    @ParameterizedTest
    @ValueSource(strings = {"memory", "jdbc"})
    void arePinnedByNoKind(String store) {
        application
                .withPropertyValues(
                        "resilience.idempotency-store.type=" + store,
                        "spring.datasource.url=jdbc:h2:mem:pinned-" + store + ";DB_CLOSE_DELAY=-1")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    AsyncTaskExecutor executor = context.getBean(AsyncTaskExecutor.class);
                    assertThat(executor).isInstanceOf(SimpleAsyncTaskExecutor.class);
                    Shop shop = context.getBean(Shop.class);
                    PinnedThreads before = PinnedThreads.recorded(); // loads what records events, too
                    callAll(shop, executor, -20, 0); // what loads and initialises a class waits with a native frame
                    before.close();

                    try (PinnedThreads pinned = PinnedThreads.recorded()) {
                        callAll(shop, executor, 0, 200);

                        assertThat(pinned.below("dev.resilience")).isEmpty();
                    }
                    assertThat(shop.virtual()).containsOnlyKeys(CALLS.keySet());
                    assertThat(shop.virtual().entrySet())
                            .filteredOn(called -> !called.getValue())
                            .extracting(Map.Entry::getKey)
                            .containsExactly("pool");
                });
    }

    @Test
    void areSeenWhereTheyArePinned() throws Exception {
        SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor();
        executor.setVirtualThreads(true);
        try (PinnedThreads pinned = PinnedThreads.recorded()) {
            CompletableFuture<?> initialised = executor.submitCompletable(() -> Pinning.GATE.getCount());
            await().until(Seen::isWaiting);
            Seen.GATE.countDown();
            initialised.get(30, TimeUnit.SECONDS);

            assertThat(pinned.below("dev.resilience"))
                    .singleElement()
                    .asString()
                    .contains("VirtualThreadsTests$Pinning");
        }
    }

    private static void callAll(Shop shop, AsyncTaskExecutor executor, int first, int end) {
        List<CompletableFuture<?>> answers = new ArrayList<>();
        for (int i = first; i < end; i++) {
            int number = i;
            CALLS.forEach((name, call) -> answers.add(executor.submitCompletable(() -> call.of(shop, number))));
        }
        assertThat(answers).allSatisfy(answer -> assertThat(answer).succeedsWithin(Duration.ofSeconds(60)));
    }

    /** Its initialiser waits, and no virtual thread can leave its carrier while a native frame is on its stack. */
    private static final class Pinning {

        static final CountDownLatch GATE = Seen.GATE;

        static {
            Seen.pass();
        }
    }

    private static final class Seen {

        static final CountDownLatch GATE = new CountDownLatch(1);
        private static final AtomicReference<@Nullable Thread> PINNED = new AtomicReference<>();

        static void pass() {
            PINNED.set(Thread.currentThread());
            try {
                GATE.await();
            } catch (InterruptedException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        static boolean isWaiting() {
            Thread pinned = PINNED.get();
            return pinned != null && pinned.getState() == Thread.State.WAITING;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Asynchronous {}

    private interface Call {
        Object of(Shop shop, int number) throws Exception;
    }

    static class Shop {

        private final Map<String, Boolean> virtual = new ConcurrentHashMap<>();

        /** Whether all threads were virtual, by call. */
        Map<String, Boolean> virtual() {
            return virtual;
        }

        @Retryable
        @CircuitBreaker
        public String retry() throws ConnectException {
            return thirdAttempt("retry");
        }

        @Retryable
        public CompletableFuture<String> retryOfFuture() throws ConnectException {
            return CompletableFuture.completedFuture(thirdAttempt("retry of future"));
        }

        @Async
        @Retryable
        @CircuitBreaker
        @Bulkhead
        @TimeLimit
        public CompletableFuture<String> async() throws ConnectException {
            return CompletableFuture.completedFuture(thirdAttempt("async"));
        }

        @Bulkhead
        public String semaphore() {
            return work("semaphore");
        }

        @Bulkhead("pool")
        public String pool() {
            return work("pool");
        }

        @Bulkhead("virtual")
        public String virtualPool() {
            return work("virtual pool");
        }

        @TimeLimit
        public String limit() {
            return work("limit");
        }

        @TimeLimit("worker")
        public String worker() {
            return work("worker");
        }

        /** Most callers wait for the one that was there before. */
        @Idempotent(key = "#key")
        public String idempotent(int key) {
            return work("idempotent");
        }

        @Idempotent(key = "#key")
        @Transactional
        public String transactional(int key) {
            return work("transactional");
        }

        private String thirdAttempt(String name) throws ConnectException {
            work(name);
            Attempt attempt = Attempt.current();
            if (attempt == null || attempt.number() < 3) {
                throw new ConnectException("refused");
            }
            return name;
        }

        /** Waits, as for a server. */
        private String work(String name) {
            virtual.merge(name, Thread.currentThread().toString().startsWith("VirtualThread"), Boolean::logicalAnd);
            LockSupport.parkNanos(1_000_000);
            return name;
        }
    }
}
