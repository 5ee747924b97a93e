package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.resilience.event.RetryOutcome;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.RetryBudget.RetryBudgetWindow;
import dev.resilience.time.ManualTimeSource;
import java.lang.ref.WeakReference;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads that want to retry at once. */
@Timeout(60)
class SharedRetryBudgetTests {

    private static final int THREADS = 8;
    private static final Duration WINDOW = Duration.ofSeconds(10);

    private final ManualTimeSource time = new ManualTimeSource();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void theyGetExactlyWhatThereIs() throws Exception {
        RetryBudget budget = new RetryBudget("shared", new RetryBudgetPolicy(0, WINDOW, 20), time);
        for (int round = 0; round < 50; round++) {
            AtomicInteger granted = new AtomicInteger();

            all(() -> {
                for (int i = 0; i < 100; i++) {
                    if (budget.tryAcquire()) {
                        granted.incrementAndGet();
                    }
                }
            });

            assertThat(granted).hasValue(200);
            assertThat(budget.available()).isZero();
            time.advance(WINDOW.multipliedBy(2));
        }
    }

    @Test
    void callsThatEndMeanwhilePayForNoMoreThanTheirShare() throws Exception {
        for (int round = 0; round < 50; round++) {
            RetryBudget budget = new RetryBudget("shared", new RetryBudgetPolicy(0.1, WINDOW, 1), time);
            AtomicInteger granted = new AtomicInteger();

            all(() -> {
                for (int i = 0; i < 1_000; i++) {
                    budget.firstAttemptEnded();
                    if (budget.tryAcquire()) {
                        granted.incrementAndGet();
                    }
                }
            });

            assertThat(granted.get()).isLessThanOrEqualTo(10 + THREADS * 1_000 / 10);
        }
    }

    @Test
    void noWindowContainsMoreThanPromisedWhileTimePasses() throws Exception {
        Duration slot = WINDOW.dividedBy(RetryBudgetWindow.SLOTS_PER_WINDOW);
        RetryBudget budget = new RetryBudget("shared", new RetryBudgetPolicy(0, WINDOW, 20), time);
        List<Integer> grantedInSlot = new ArrayList<>();
        for (int round = 0; round < 200; round++) {
            AtomicInteger granted = new AtomicInteger();

            all(() -> {
                for (int i = 0; i < 10; i++) {
                    if (budget.tryAcquire()) {
                        granted.incrementAndGet();
                    }
                }
            });

            grantedInSlot.add(granted.get());
            time.advance(slot);
        }

        for (int slots = 0; slots < grantedInSlot.size() - RetryBudgetWindow.SLOTS_PER_WINDOW; slots++) {
            assertThat(grantedInSlot.subList(slots, slots + RetryBudgetWindow.SLOTS_PER_WINDOW + 1).stream()
                            .mapToInt(Integer::intValue)
                            .sum())
                    .as("retries in the window from slot %s", slots)
                    .isLessThanOrEqualTo(200);
        }
    }

    @Test
    void callsThroughAPipelineKeepThePromiseAndAreAllCounted() throws Exception {
        RetryBudget budget = new RetryBudget("shared", new RetryBudgetPolicy(0.1, WINDOW, 1), time);
        RetryPolicy eager =
                RetryBench.policy().backoff(RetryBench.fixed(Duration.ZERO)).build();
        Retry retry = RetryBuilder.retry("orders", eager)
                .timeSource(time)
                .budget(budget)
                .build();
        Pipeline pipeline = Pipeline.of(retry);
        ConnectException refused = new ConnectException("refused");

        all(() -> {
            for (int i = 0; i < 500; i++) {
                assertThat(catchThrowable(() -> pipeline.call(() -> {
                            throw refused;
                        })))
                        .isSameAs(refused);
            }
        });

        assertThat(retry.calls().total()).isEqualTo(THREADS * 500);
        assertThat(retry.calls().get(RetryOutcome.BUDGET_EXHAUSTED)).isPositive();
        assertThat(retry.attempts()).isBetween(10L, 10L + THREADS * 500 / 10);
    }

    @Test
    void successesOfAllThatShareItPayForRetriesAndEachCountsItsOwn() throws Exception {
        RetryBudget budget = new RetryBudget("shared", new RetryBudgetPolicy(0.5, WINDOW, 1), time);
        Retry first = retry(budget);
        Retry second = retry(budget);
        Retry third = retry(budget);
        for (int i = 0; i < 10; i++) {
            assertThat(budget.tryAcquire()).isTrue();
        }

        call(first, 2);
        call(second, 4);
        call(third, 6);

        assertThat(budget.available()).isEqualTo((2 + 4 + 6) / 2);
        assertThat(first.calls().get(RetryOutcome.SUCCESS)).isEqualTo(2);
        assertThat(second.calls().get(RetryOutcome.SUCCESS)).isEqualTo(4);
        assertThat(third.calls().get(RetryOutcome.SUCCESS)).isEqualTo(6);
    }

    /** Nobody but the retry further out wanted it. */
    @Test
    void aCallWithinARepetitionThatSucceedsAtOncePaysForNothing() throws Exception {
        RetryBudget budget = new RetryBudget("shared", new RetryBudgetPolicy(1, WINDOW, 1), time);
        RetryPolicy eager =
                RetryBench.policy().backoff(RetryBench.fixed(Duration.ZERO)).build();
        RetryPolicy once = RetryBench.policy().maxAttempts(1).build();
        for (int i = 0; i < 10; i++) {
            assertThat(budget.tryAcquire()).isTrue();
        }
        for (int user = 1; user <= 2; user++) {
            Retry outer = RetryBuilder.retry("outer", eager).timeSource(time).build();
            Retry inner = RetryBuilder.retry("inner", once)
                    .timeSource(time)
                    .budget(budget)
                    .build();
            AtomicInteger attempts = new AtomicInteger();

            Pipeline.of(outer, inner).call(() -> {
                if (attempts.incrementAndGet() == 1) {
                    throw new ConnectException("refused");
                }
                return "ok";
            });

            assertThat(inner.calls().get(RetryOutcome.SUCCESS)).isEqualTo(1);
            assertThat(budget.available()).as("for the first attempts alone").isEqualTo(user);
        }
    }

    /** What is made and removed by the thousand must not pile up. */
    @Test
    void doesNotHoldTheRetriesThatHaveEnded() {
        RetryBudget budget = new RetryBudget("shared", RetryBudgetPolicy.defaults(), time);
        List<WeakReference<Retry>> dropped = List.of(dropped(budget), dropped(budget));

        await().untilAsserted(() -> {
            System.gc();
            assertThat(dropped).allMatch(retry -> retry.refersTo(null));
        });
        assertThat(budget.available()).isPositive();
    }

    private WeakReference<Retry> dropped(RetryBudget budget) {
        Retry retry = retry(budget);
        retry.close();
        return new WeakReference<>(retry);
    }

    private Retry retry(RetryBudget budget) {
        return RetryBuilder.retry("orders", RetryPolicy.defaults())
                .timeSource(time)
                .budget(budget)
                .build();
    }

    private static void call(Retry retry, int times) throws Exception {
        Pipeline pipeline = Pipeline.of(retry);
        for (int i = 0; i < times; i++) {
            pipeline.call(() -> "ok");
        }
    }

    private void all(Runnable work) throws Exception {
        CountDownLatch ready = new CountDownLatch(THREADS);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            running.add(threads.submit(() -> {
                ready.countDown();
                ready.await();
                work.run();
                return null;
            }));
        }
        for (Future<?> thread : running) {
            thread.get();
        }
    }
}
