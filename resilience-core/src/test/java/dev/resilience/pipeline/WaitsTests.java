package dev.resilience.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WaitsTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private final ManualTimeSource manual = new ManualTimeSource();
    private final Waits waits = new Waits("orders-", manual, null);
    private final List<String> happened = new ArrayList<>();

    @Test
    void runsTasksOnThreadsOfItsOwn() throws Exception {
        Waits real = new Waits("orders-", TimeSource.system(), null);
        CompletableFuture<String> thread = new CompletableFuture<>();
        CompletableFuture<String> atOnce = new CompletableFuture<>();

        real.schedule(
                Duration.ofMillis(1),
                () -> thread.complete(Thread.currentThread().getName()));
        real.schedule(
                Duration.ZERO, () -> atOnce.complete(Thread.currentThread().getName()));

        assertThat(thread.get(30, TimeUnit.SECONDS)).startsWith("orders-");
        assertThat(atOnce.get(30, TimeUnit.SECONDS)).startsWith("orders-");
    }

    @Test
    void hasNoMoreThreadsThanItIsTold() throws Exception {
        Waits two = new Waits("orders-", TimeSource.system(), 2);
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(5);
        for (int i = 0; i < 5; i++) {
            two.schedule(Duration.ofMillis(1), () -> {
                awaitQuietly(end);
                ended.countDown();
            });
        }

        await().until(() -> two.queued() == 3);

        assertThat(two.busyThreads()).isEqualTo(2);
        end.countDown();
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        await().until(() -> two.busyThreads() == 0);
    }

    @Test
    void letsNoThreadSleepWhileItIsStopped() throws Exception {
        waits.stop();

        assertThat(waits.sleep(HOUR)).isFalse();

        assertThat(manual.elapsed()).isZero();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void waitsAgainWhenItGoesOn() throws Exception {
        waits.stop();
        waits.resume();

        waits.schedule(HOUR, () -> happened.add("ended at " + manual.elapsed()));
        assertThat(happened).isEmpty();
        assertThat(waits.sleep(HOUR)).isTrue();

        assertThat(happened).containsExactly("ended at PT1H");
    }

    @Test
    void endsAThreadsSleepWithoutAnInterruptThatStays() {
        Waits real = new Waits("orders-", TimeSource.system(), null);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread sleeper = new Thread(() -> {
            try {
                assertThat(real.sleep(HOUR)).as("slept for an hour").isFalse();
                interrupted.complete(Thread.currentThread().isInterrupted());
            } catch (InterruptedException byAnother) {
                interrupted.completeExceptionally(byAnother);
            }
        });
        sleeper.start();
        await().until(() -> sleeper.getState() == Thread.State.TIMED_WAITING);

        real.stop();

        assertThat(interrupted).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(false);
    }

    @Test
    void tellsAnInterruptByOthersFromItsOwn() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> waits.sleep(HOUR)).isInstanceOf(InterruptedException.class);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
