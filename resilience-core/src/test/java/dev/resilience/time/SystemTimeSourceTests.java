package dev.resilience.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.resilience.time.TimeSource.Scheduled;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SystemTimeSourceTests {

    private static final Duration SHORT = Duration.ofMillis(5);

    private final TimeSource time = TimeSource.system();

    @AfterEach
    void noInterruptIsLeft() {
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void thereIsOneForAll() {
        assertThat(TimeSource.system()).isSameAs(time);
    }

    @Test
    void timePasses() throws Exception {
        long nanos = time.nanoTime();
        Instant instant = time.now();

        time.sleep(SHORT);

        assertThat(time.nanoTime()).isGreaterThan(nanos);
        assertThat(time.now()).isAfterOrEqualTo(instant);
    }

    @Nested
    class Tasks {

        @Test
        void runAfterTheirDelayOnAThreadOfTheirOwn() throws Exception {
            CompletableFuture<Thread> ranOn = new CompletableFuture<>();

            time.schedule(SHORT, () -> ranOn.complete(Thread.currentThread()));

            assertThat(ranOn.get(30, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
            assertThat(ranOn.join().isDaemon()).as("daemon").isTrue();
        }

        @Test
        void withoutDelayRunToo() {
            CompletableFuture<Void> none = new CompletableFuture<>();
            CompletableFuture<Void> negative = new CompletableFuture<>();

            time.schedule(Duration.ZERO, () -> none.complete(null));
            time.schedule(Duration.ofSeconds(-1), () -> negative.complete(null));

            assertThat(none).succeedsWithin(Duration.ofSeconds(30));
            assertThat(negative).succeedsWithin(Duration.ofSeconds(30));
        }

        @Test
        void thatAreCancelledNeverRun() {
            AtomicInteger runs = new AtomicInteger();
            Scheduled cancelled = time.schedule(Duration.ofMillis(50), runs::incrementAndGet);
            CompletableFuture<Void> later = new CompletableFuture<>();
            time.schedule(Duration.ofMillis(100), () -> later.complete(null));

            cancelled.cancel();

            assertThat(later).succeedsWithin(Duration.ofSeconds(30));
            assertThat(runs).hasValue(0);
        }

        @Test
        void areNotHurtByALateCancellation() {
            AtomicInteger runs = new AtomicInteger();
            Scheduled task = time.schedule(SHORT, runs::incrementAndGet);
            await().until(() -> runs.get() == 1);

            task.cancel();

            assertThat(runs).hasValue(1);
        }

        @Test
        void thatTheirExecutorRefusesRunElsewhere() {
            CompletableFuture<Void> soon = new CompletableFuture<>();
            CompletableFuture<Void> later = new CompletableFuture<>();
            Executor full = task -> {
                throw new RejectedExecutionException("full");
            };

            time.schedule(Duration.ZERO, () -> soon.complete(null), full);
            time.schedule(SHORT, () -> later.complete(null), full);

            assertThat(soon).succeedsWithin(Duration.ofSeconds(30));
            assertThat(later).succeedsWithin(Duration.ofSeconds(30));
        }

        @Test
        void findTheClassesThatTheirCallerFinds() throws Exception {
            ClassLoader before = Thread.currentThread().getContextClassLoader();
            try (URLClassLoader own = new URLClassLoader(new URL[0], before)) {
                Thread.currentThread().setContextClassLoader(own);
                CompletableFuture<ClassLoader> soon = new CompletableFuture<>();
                CompletableFuture<ClassLoader> later = new CompletableFuture<>();

                time.schedule(Duration.ZERO, () -> soon.complete(contextClassLoader()));
                time.schedule(SHORT, () -> later.complete(contextClassLoader()));

                assertThat(soon.get(30, TimeUnit.SECONDS)).isSameAs(own);
                assertThat(later.get(30, TimeUnit.SECONDS)).isSameAs(own);
            } finally {
                Thread.currentThread().setContextClassLoader(before);
            }
        }

        private static ClassLoader contextClassLoader() {
            return Thread.currentThread().getContextClassLoader();
        }

        @Test
        void farBeyondAllTimeMayBeScheduledAndCancelled() {
            time.schedule(Duration.ofDays(365_000), () -> {}).cancel();
        }

        @Test
        void thatBlockDelayNoOther() {
            whileTasksBlock(8, () -> assertThat(schedule(time::schedule)).succeedsWithin(Duration.ofSeconds(30)));
        }

        @Test
        void thatAreUrgentAreNotEvenDelayedByMoreOfThemThanThereAreThreads() {
            int more = 8 * Math.max(16, Runtime.getRuntime().availableProcessors());

            whileTasksBlock(
                    more, () -> assertThat(schedule(time::scheduleUrgent)).succeedsWithin(Duration.ofSeconds(30)));
        }

        private void whileTasksBlock(int count, Runnable test) {
            CountDownLatch release = new CountDownLatch(1);
            CountDownLatch started = new CountDownLatch(Math.min(count, 16));
            try {
                for (int i = 0; i < count; i++) {
                    time.schedule(SHORT, () -> {
                        started.countDown();
                        awaitQuietly(release);
                    });
                }
                awaitQuietly(started);
                test.run();
            } finally {
                release.countDown();
            }
        }

        private static CompletableFuture<Void> schedule(BiConsumer<Duration, Runnable> scheduler) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            scheduler.accept(SHORT, () -> done.complete(null));
            return done;
        }
    }

    @Nested
    class Interrupts {

        @Test
        void endASleep() throws Exception {
            FutureTask<Boolean> sleeping = new FutureTask<>(() -> {
                assertThatExceptionOfType(InterruptedException.class)
                        .isThrownBy(() -> time.sleep(Duration.ofDays(365_000)));
                return Thread.currentThread().isInterrupted();
            });
            Thread thread = start(sleeping);
            await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);

            thread.interrupt();

            assertThat(sleeping.get(30, TimeUnit.SECONDS)).isFalse();
        }

        @Test
        void endAParkAndStay() throws Exception {
            FutureTask<Boolean> parked = new FutureTask<>(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    time.park(this, Duration.ofDays(365_000));
                }
                return true;
            });
            Thread thread = start(parked);
            await().until(() -> LockSupport.getBlocker(thread) == this);

            thread.interrupt();

            assertThat(parked.get(30, TimeUnit.SECONDS)).isTrue();
        }

        @Test
        void endASleepOfNoTimeToo() {
            Thread.currentThread().interrupt();

            assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> time.sleep(Duration.ZERO));
        }
    }

    @Test
    void aParkEndsByItself() {
        time.park(this, SHORT);
    }

    @Test
    void sleepsOfZeroOrLessReturnAtOnce() throws Exception {
        time.sleep(Duration.ZERO);
        time.sleep(Duration.ofDays(-365));
    }

    private static Thread start(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ignored) {
            Thread.currentThread().interrupt();
        }
    }
}
