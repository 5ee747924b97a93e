package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.IdempotencyDecided;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.fault.FaultClassification;
import dev.resilience.idempotency.IdempotencyPolicy.OnInProgress;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Real threads on system time. */
class ConcurrentCallsTests {

    private static final int THREADS = 8;

    private final ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    private final Queue<IdempotencyDecided> decisions = new ConcurrentLinkedQueue<>();
    private final ConcurrentMap<String, AtomicInteger> executions = new ConcurrentHashMap<>();

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    private Idempotency idempotency(OnInProgress onInProgress) {
        EventPublisher events = new EventPublisher();
        events.add(event -> decisions.add((IdempotencyDecided) event));
        IdempotencyPolicy policy =
                IdempotencyPolicy.builder().onInProgress(onInProgress).build();
        TimeSource time = TimeSource.system();
        return new Idempotency(
                "orders",
                policy,
                new MemoryIdempotencyStore(time),
                new Environment(time, events, FaultClassification.ofJdk(), ContextCarrier.standard()));
    }

    private static Pipeline protecting(Idempotency idempotency) {
        return TestIdempotency.pipeline(idempotency, new TextOperation(TextOperation.NAME, ""));
    }

    private interface Worker {

        void work(int number) throws Throwable;
    }

    private void inParallel(Worker worker) throws Exception {
        List<Callable<Void>> workers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            workers.add(() -> {
                try {
                    worker.work(number);
                } catch (Throwable failure) {
                    throw new AssertionError(failure);
                }
                return null;
            });
        }
        for (Future<Void> done : pool.invokeAll(workers)) {
            done.get();
        }
    }

    private String execute(String key) {
        executions.computeIfAbsent(key, any -> new AtomicInteger()).incrementAndGet();
        return "result of " + key;
    }

    @Test
    void oneOfThemRunsAndTheOthersAreRefusedOrGetItsResult() throws Exception {
        Idempotency idempotency = idempotency(OnInProgress.REJECT);
        Pipeline pipeline = protecting(idempotency);
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        int rounds = 300;

        inParallel(number -> {
            for (int round = 0; round < rounds; round++) {
                String key = "key " + round;
                barrier.await(30, TimeUnit.SECONDS);
                try {
                    assertThat(pipeline.invoke(TestIdempotency.invocation(key, "payload", () -> execute(key))))
                            .isEqualTo("result of " + key);
                } catch (IdempotencyInProgressException refused) {
                    assertThat(refused.retryAfter()).isPositive();
                }
            }
        });

        assertThat(executions)
                .hasSize(rounds)
                .allSatisfy((key, times) -> assertThat(times).hasValue(1));
        assertThat(idempotency.calls().get(IdempotencyOutcome.EXECUTED)).isEqualTo(rounds);
        assertThat(idempotency.calls().total()).isEqualTo((long) rounds * THREADS);
    }

    @Test
    void oneOfThemRunsAndTheOthersWaitForItsResult() throws Exception {
        Idempotency idempotency = idempotency(OnInProgress.WAIT);
        Pipeline pipeline = protecting(idempotency);
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        int rounds = 20;

        inParallel(number -> {
            for (int round = 0; round < rounds; round++) {
                String key = "key " + round;
                barrier.await(30, TimeUnit.SECONDS);
                Object result = number % 2 == 0
                        ? pipeline.invoke(TestIdempotency.invocation(key, "payload", () -> execute(key)))
                        : pipeline.invokeAsync(TestIdempotency.invocation(
                                        key, "payload", () -> CompletableFuture.supplyAsync(() -> execute(key))))
                                .get();
                assertThat(result).isEqualTo("result of " + key);
            }
        });

        assertThat(executions)
                .hasSize(rounds)
                .allSatisfy((key, times) -> assertThat(times).hasValue(1));
        assertThat(idempotency.calls().get(IdempotencyOutcome.EXECUTED)).isEqualTo(rounds);
        assertThat(idempotency.calls().get(IdempotencyOutcome.REPLAYED)).isEqualTo((long) rounds * (THREADS - 1));
    }

    /** Some fail, some are cancelled, some come with another payload: each counts once and is told of once. */
    @Test
    void eachOfThemCountsExactlyOneOutcome() throws Exception {
        Idempotency idempotency = idempotency(OnInProgress.REJECT);
        Pipeline pipeline = protecting(idempotency);
        int callsEach = 2_000;

        inParallel(number -> {
            Random random = new Random(number);
            for (int i = 0; i < callsEach; i++) {
                String key = "key " + random.nextInt(500);
                String payload = random.nextInt(10) == 0 ? "other" : "payload";
                boolean fails = random.nextInt(3) == 0;
                boolean cancels = random.nextInt(5) == 0;
                CompletableFuture<Object> body = new CompletableFuture<>();
                CompletableFuture<Object> answer =
                        pipeline.invokeAsync(TestIdempotency.invocation(key, payload, () -> body));
                if (cancels) {
                    answer.cancel(true);
                }
                if (fails) {
                    body.completeExceptionally(new IllegalStateException("down"));
                } else {
                    body.complete("ok");
                }
                assertThat(answer).isDone();
            }
        });

        assertThat(idempotency.calls().total()).isEqualTo((long) THREADS * callsEach);
        for (IdempotencyOutcome outcome : IdempotencyOutcome.values()) {
            assertThat(decisions.stream().filter(decision -> decision.outcome() == outcome))
                    .hasSize((int) idempotency.calls().get(outcome));
        }
        assertThat(idempotency.calls().get(IdempotencyOutcome.KEY_REUSED)).isPositive();
        assertThat(idempotency.calls().get(IdempotencyOutcome.RELEASED)).isPositive();
    }
}
