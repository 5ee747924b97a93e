package dev.resilience.hedge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.concurrency.ForwardingTime;
import dev.resilience.context.Attempt;
import dev.resilience.event.HedgeOutcome;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.TransactionState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** Bodies that block, on real threads: a second attempt is due when a test says so. */
class BlockingHedgeTests {

    private final DueTime time = new DueTime();
    private final Hedge hedge = new Hedge(
            "orders",
            HedgePolicy.builder().sideEffectFree(true).build(),
            Environment.of(time),
            new RetryBudget("orders", RetryBudgetPolicy.defaults(), time),
            TransactionState.NONE);
    private final Pipeline pipeline = Pipeline.of(hedge);
    private final AtomicInteger bodies = new AtomicInteger();
    private final CountDownLatch never = new CountDownLatch(1);

    BlockingHedgeTests() {
        for (int i = 0; i < 1_000; i++) {
            pipeline.run(() -> time.manual.advance(Duration.ofMillis(20)));
        }
        pipeline.run(() -> {});
        assertThat(hedge.delay()).isNotNull();
    }

    @AfterEach
    void noFlagIsLeftBehind() {
        assertThat(Thread.interrupted()).isFalse();
        await().until(() -> !hedge.waits.hasWork());
    }

    @Test
    void theFirstAttemptRunsOnItsCallersThread() {
        assertThat(pipeline.<Thread, RuntimeException>call(Thread::currentThread))
                .isSameAs(Thread.currentThread());
        assertThat(time.isDue()).as("a timer is left").isFalse();
    }

    @Test
    void theSecondAttemptAnswersAndTheCallersBodyIsInterrupted() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        String answer = pipeline.call(() -> {
            if (bodies.incrementAndGet() == 1) {
                time.due();
                return interruptedWait(interrupted);
            }
            return Thread.currentThread().getName();
        });

        assertThat(answer).startsWith("resilience-hedge-orders-");
        assertThat(interrupted).isTrue();
        assertThat(hedge.calls().get(HedgeOutcome.SECOND_WON)).isEqualTo(1);
    }

    private String interruptedWait(AtomicBoolean interrupted) throws InterruptedException {
        try {
            never.await();
            return "never";
        } catch (InterruptedException stopped) {
            interrupted.set(true);
            throw stopped;
        }
    }

    @Test
    void theFirstAnswersAndTheSecondIsInterruptedAndItsLateResultIgnored() throws Exception {
        CountDownLatch secondRuns = new CountDownLatch(1);
        AtomicBoolean stopped = new AtomicBoolean();
        Object answer = pipeline.call(() -> {
            if (bodies.incrementAndGet() == 1) {
                time.due();
                secondRuns.await();
                return "first";
            }
            secondRuns.countDown();
            try {
                never.await();
            } catch (InterruptedException ignored) {
                stopped.set(true); // it answers all the same
            }
            return "second";
        });

        assertThat(answer).isEqualTo("first");
        await().untilTrue(stopped);
    }

    @Test
    void aBodyThatTakesNoNoticeKeepsItsCallerAndItsResultIsIgnored() throws Exception {
        Object answer = pipeline.call(() -> {
            if (bodies.incrementAndGet() == 1) {
                time.due();
                while (!Thread.interrupted()) {
                    Thread.onSpinWait();
                }
                return "late";
            }
            return "second";
        });

        assertThat(answer).isEqualTo("second");
    }

    @Test
    void aFailedFirstAttemptWaitsForTheSecond() throws Exception {
        CountDownLatch firstFails = new CountDownLatch(1);
        CountDownLatch secondRuns = new CountDownLatch(1);
        String answer = pipeline.call(() -> {
            if (bodies.incrementAndGet() == 1) {
                time.due();
                secondRuns.await();
                firstFails.countDown();
                throw new IOException("reset");
            }
            secondRuns.countDown();
            firstFails.await();
            return "second";
        });

        assertThat(answer).isEqualTo("second");
    }

    @Test
    void aRefusalOfTheSecondDoesNotEndTheFirst() throws Exception {
        String answer = pipeline.call(() -> {
            if (bodies.incrementAndGet() == 1) {
                time.due();
                await().until(() -> bodies.get() == 2 && !hedge.waits.hasWork());
                return "paid";
            }
            throw new IllegalArgumentException("409: the key is in progress");
        });

        assertThat(answer).isEqualTo("paid");
    }

    @Test
    void whatBlocksBeforeItReturnsItsFutureIsInterruptedToo() {
        AtomicBoolean interrupted = new AtomicBoolean();
        CompletableFuture<Object> answer = pipeline.invokeAsync(() -> {
            if (bodies.incrementAndGet() == 1) {
                assertThat(time.isDue()).isTrue();
                time.due();
                return CompletableFuture.completedFuture(interruptedWait(interrupted));
            }
            return CompletableFuture.completedFuture("second");
        });

        assertThat(answer.join()).isEqualTo("second");
        assertThat(interrupted).isTrue();
    }

    @Test
    void theFailureIsItsOwnInstance() {
        CompletionException failure = new CompletionException(new IOException("of the body"));
        CountDownLatch secondFailed = new CountDownLatch(1);
        assertThatThrownBy(() -> pipeline.call(() -> {
                    if (bodies.incrementAndGet() == 1) {
                        time.due();
                        secondFailed.await();
                        await().until(() -> !hedge.waits.hasWork());
                        throw failure;
                    }
                    secondFailed.countDown();
                    throw new IOException("second");
                }))
                .isSameAs(failure);
    }

    @Test
    void anInterruptOfTheCallerEndsTheWaitForTheSecondAndStopsIt() throws Exception {
        CountDownLatch secondRuns = new CountDownLatch(1);
        AtomicBoolean stopped = new AtomicBoolean();
        IOException failure = new IOException("reset");
        AtomicBoolean flag = new AtomicBoolean();
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                pipeline.call(() -> {
                    if (bodies.incrementAndGet() == 1) {
                        time.due();
                        secondRuns.await();
                        throw failure;
                    }
                    secondRuns.countDown();
                    return interruptedWait(stopped);
                });
            } catch (Throwable failed) {
                flag.set(Thread.currentThread().isInterrupted());
                thrown.complete(failed);
            }
        });
        caller.start();
        secondRuns.await();
        await().until(() -> caller.getState() == Thread.State.WAITING);

        caller.interrupt();

        assertThat(thrown.get()).isSameAs(failure);
        assertThat(flag).isTrue();
        await().untilTrue(stopped);
    }

    @Test
    void anInterruptThatTheBodyPassesOnEndsTheCall() throws Exception {
        CountDownLatch secondRuns = new CountDownLatch(1);
        AtomicBoolean stopped = new AtomicBoolean();
        Thread caller = Thread.currentThread();
        assertThatThrownBy(() -> pipeline.call(() -> {
                    if (bodies.incrementAndGet() == 1) {
                        time.due();
                        secondRuns.await();
                        caller.interrupt();
                        never.await();
                    }
                    secondRuns.countDown();
                    return interruptedWait(stopped);
                }))
                .isInstanceOf(InterruptedException.class);
        await().untilTrue(stopped);
    }

    @Test
    void theSecondAttemptHasTheLogsContextAndItsNumber() throws Exception {
        MDC.put("user", "ann");
        List<String> seen = new CopyOnWriteArrayList<>();
        try {
            pipeline.call(() -> {
                Attempt attempt = Attempt.current();
                seen.add(MDC.get("user") + " " + (attempt == null ? 0 : attempt.number()));
                if (bodies.incrementAndGet() == 1) {
                    time.due();
                    never.await();
                }
                return "second";
            });
        } finally {
            MDC.remove("user");
        }

        assertThat(seen).containsExactly("ann 1", "ann 2");
        assertThat(Attempt.current()).isNull();
    }

    /** Manual time whose delayed tasks run on the threads that they are meant for, when a test lets them. */
    private static final class DueTime extends ForwardingTime {

        private final AtomicInteger number = new AtomicInteger();
        private volatile Runnable next = () -> {};

        void due() {
            next.run();
        }

        boolean isDue() {
            return number.get() != 0;
        }

        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Scheduled schedule(Duration delay, Runnable task, Executor executor) {
            if (delay.isZero()) {
                executor.execute(task);
                return () -> {};
            }
            number.incrementAndGet();
            next = () -> executor.execute(task);
            return () -> number.decrementAndGet();
        }
    }
}
