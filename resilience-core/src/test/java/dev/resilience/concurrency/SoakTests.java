package dev.resilience.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.TimeLimitOutcome;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Sixty-four threads call through all layers at once while bodies fail and hang, callers are interrupted and cancel,
 * operators act and every policy changes. Then all is let go: no place may be taken, nobody may wait, and each counter
 * must say what the others say. Two seconds in an ordinary build, a minute with {@code -Plong}.
 */
@ExtendWith(WithoutLog.class)
class SoakTests {

    private static final int THREADS = 64;
    private static final Duration TIME = Duration.ofSeconds(Effort.of(2, 60));

    private final Shop shop = new Shop();

    @Test
    void nothingIsLeftBehindByPlatformThreads() throws Exception {
        soak(task -> {
            Thread thread = new Thread(task);
            thread.start();
            return thread;
        });
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void nothingIsLeftBehindByVirtualThreads() throws Exception {
        soak(task -> {
            try {
                return (Thread) Thread.class
                        .getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, task);
            } catch (ReflectiveOperationException impossible) {
                throw new LinkageError(impossible.getMessage(), impossible);
            }
        });
    }

    private void soak(Function<Runnable, Thread> start) throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Caller caller = new Caller(shop, new Random(i));
            callers.add(start.apply(() -> {
                while (!over.get()) {
                    caller.call();
                }
            }));
        }
        Operator operator = new Operator(shop, new Random(1_000));
        Random random = new Random(2_000);
        long end = System.nanoTime() + TIME.toNanos();
        while (System.nanoTime() < end) {
            operator.act();
            callers.get(random.nextInt(THREADS)).interrupt();
            LockSupport.parkNanos(random.nextInt(1_000_000));
        }
        over.set(true);
        for (Thread caller : callers) {
            caller.join();
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertNothingIsLeft();
            assertCountersAddUp();
        });
        assertEverythingHappened();
        assertAllIsWellAgain();
    }

    private void assertNothingIsLeft() {
        assertThat(shop.answered).hasValue(shop.made.get());
        assertThat(shop.bulkhead.running()).as("places taken").isZero();
        assertThat(shop.bulkhead.queued()).as("waiters").isZero();
        assertThat(shop.timeLimit.workers()).as("busy workers").isZero();
        assertThat(shop.surprises).isEmpty();
    }

    private void assertCountersAddUp() {
        long accepted = shop.bulkhead.calls().get(BulkheadOutcome.ACCEPTED)
                + shop.bulkhead.calls().get(BulkheadOutcome.WOULD_REJECT);
        long refused = shop.breaker.calls().get(CircuitBreakerOutcome.REJECTED);
        assertThat(shop.bulkhead.calls().total()).as("calls made").isEqualTo(shop.made.get());
        long begun = shop.breaker.calls().total();
        assertThat(accepted - begun)
                .as("calls cancelled between their place and their beginning")
                .isBetween(0L, shop.cancelled.get());
        assertThat(shop.retry.calls().total()).as("calls past the breaker").isEqualTo(begun - refused);
        assertThat(shop.retry.calls().total()
                        + shop.retry.attempts()
                        - shop.timeLimit.calls().total())
                .as("retries cancelled between their counting and their beginning")
                .isBetween(0L, shop.cancelled.get());
        assertThat(shop.bodies.get())
                .as("bodies: an attempt may end before it has one")
                .isPositive()
                .isLessThanOrEqualTo(shop.timeLimit.calls().total());
    }

    private void assertEverythingHappened() {
        for (BulkheadOutcome outcome : BulkheadOutcome.values()) {
            assertThat(shop.bulkhead.calls().get(outcome))
                    .as("bulkhead: %s", outcome)
                    .isPositive();
        }
        for (CircuitBreakerOutcome outcome : CircuitBreakerOutcome.values()) {
            assertThat(shop.breaker.calls().get(outcome))
                    .as("breaker: %s", outcome)
                    .isPositive();
        }
        for (TimeLimitOutcome outcome : TimeLimitOutcome.values()) {
            assertThat(shop.timeLimit.calls().get(outcome))
                    .as("time limit: %s", outcome)
                    .isPositive();
        }
        assertThat(shop.retry.attempts()).isPositive();
    }

    /** Every place and every probe's place is there again: as many calls as there are places run at once. */
    private void assertAllIsWellAgain() {
        shop.breaker.close();
        shop.timeLimit.reconfigure(TimeLimitPolicy.defaults());
        List<Runnable> ends = new ArrayList<>();
        for (int i = 0; i < shop.bulkhead.policy().maxConcurrent(); i++) {
            ends.add(shop.startCallThatLasts());
            int running = i + 1;
            await().untilAsserted(() -> assertThat(shop.bulkhead.running()).isEqualTo(running));
        }
        assertThat(shop.bulkhead.queued()).isZero();
        ends.forEach(Runnable::run);
        await().untilAsserted(() -> assertThat(shop.bulkhead.running()).isZero());
    }
}
