package dev.resilience.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.concurrency.StubTime;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import dev.resilience.time.WaitStoppedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PolicyTimeSourceTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private final ManualTimeSource manual = new ManualTimeSource();
    private final PolicyTimeSource time = new PolicyTimeSource("orders-", manual, null);
    private final List<String> happened = new ArrayList<>();

    @Test
    void runsTasksOnThreadsOfItsOwn() throws Exception {
        PolicyTimeSource real = new PolicyTimeSource("orders-", TimeSource.system(), null);
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
        PolicyTimeSource two = new PolicyTimeSource("orders-", TimeSource.system(), 2);
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
    void runsATaskItselfIfItsExecutorDoesNotTakeIt() throws Exception {
        PolicyTimeSource real = new PolicyTimeSource("orders-", TimeSource.system(), null);
        Executor shutDown = task -> {
            throw new RejectedExecutionException("shut down");
        };
        CompletableFuture<String> thread = new CompletableFuture<>();

        real.schedule(
                Duration.ofMillis(1),
                () -> thread.complete(Thread.currentThread().getName()),
                shutDown);

        assertThat(thread.get(30, TimeUnit.SECONDS)).startsWith("orders-");
    }

    @Test
    void whatIsDueGoesOnThoughItsClockBreaks() throws Exception {
        BreakingTime clock = new BreakingTime();
        PolicyTimeSource broken = new PolicyTimeSource("orders-", clock, null);
        CountDownLatch wentOn = new CountDownLatch(3);
        broken.schedule(HOUR, wentOn::countDown);
        broken.schedule(HOUR, wentOn::countDown);
        broken.schedule(HOUR.plus(HOUR), wentOn::countDown);
        clock.isBroken = true;

        clock.timerGoesOff();

        assertThat(wentOn.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void endsWhatWaitsThoughATimerCannotBeCancelled() throws Exception {
        BreakingTime clock = new BreakingTime();
        PolicyTimeSource stopped = new PolicyTimeSource("orders-", clock, null);
        CountDownLatch ended = new CountDownLatch(2);
        clock.cannotBeCancelled = true;
        stopped.schedule(HOUR.plus(HOUR), ended::countDown);
        stopped.schedule(HOUR, ended::countDown);

        stopped.stop();

        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private static final class BreakingTime extends StubTime {

        private boolean isBroken;
        private boolean cannotBeCancelled;

        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            if (isBroken) {
                throw new IllegalStateException("broken");
            }
            Scheduled timer = super.schedule(delay, task);
            return () -> {
                if (cannotBeCancelled) {
                    throw new IllegalStateException("of the timer");
                }
                timer.cancel();
            };
        }
    }

    @Test
    void endsWhatWaitsWhenItIsStopped() {
        time.schedule(HOUR, () -> happened.add("ended at " + manual.elapsed()));
        time.schedule(HOUR, () -> happened.add("cancelled")).cancel();

        time.stop();
        manual.advance(HOUR.multipliedBy(2));

        assertThat(happened).containsExactly("ended at PT0S");
    }

    @Test
    void endsWhatWaitsForAThread() {
        PolicyTimeSource one = new PolicyTimeSource("orders-", TimeSource.system(), 1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<String> queued = new CompletableFuture<>();
        one.schedule(Duration.ZERO, () -> awaitQuietly(end));
        one.schedule(Duration.ZERO, () -> queued.complete("ended"));
        assertThat(one.queued()).isEqualTo(1);

        one.stop();

        assertThat(queued).succeedsWithin(Duration.ofSeconds(30));
        end.countDown();
    }

    @Test
    void endsNothingThatIsUrgent() {
        time.scheduleUrgent(HOUR, () -> happened.add("urgent at " + manual.elapsed()));

        time.stop();
        manual.advance(HOUR);

        assertThat(happened).containsExactly("urgent at PT1H");
    }

    @Test
    void endsAtOnceWhatWouldWaitWhileItIsStopped() {
        time.stop();

        time.schedule(HOUR, () -> happened.add("ended at " + manual.elapsed()));
        assertThatThrownBy(() -> time.sleep(HOUR)).isInstanceOf(WaitStoppedException.class);

        assertThat(happened).containsExactly("ended at PT0S");
        assertThat(manual.elapsed()).isZero();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void waitsAgainWhenItGoesOn() throws Exception {
        time.stop();
        time.resume();

        time.schedule(HOUR, () -> happened.add("ended at " + manual.elapsed()));
        assertThat(happened).isEmpty();
        time.sleep(HOUR);

        assertThat(happened).containsExactly("ended at PT1H");
    }

    @Test
    void endsAThreadsSleepWithoutAnInterruptThatStays() {
        PolicyTimeSource real = new PolicyTimeSource("orders-", TimeSource.system(), null);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread sleeper = new Thread(() -> {
            try {
                real.sleep(HOUR);
                interrupted.completeExceptionally(new AssertionError("it slept for an hour"));
            } catch (WaitStoppedException stopped) {
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

        assertThatThrownBy(() -> time.sleep(HOUR))
                .isInstanceOf(InterruptedException.class)
                .isNotInstanceOf(WaitStoppedException.class);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
