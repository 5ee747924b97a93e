package dev.resilience.pipeline;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.context.Deadline;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import dev.resilience.worker.PolicyTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A {@link LinkedFuture} that waits without a thread. */
@Timeout(60)
class PausingFutureTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final PolicyTimeSource waits = PolicyTimeSource.of("orders-", time);
    private final LinkedFuture future = new LinkedFuture();
    private final List<String> happened = new ArrayList<>();

    @Test
    void itGoesOnWhenTheTimeIsOver() {
        pause(Duration.ofSeconds(10));

        time.advance(Duration.ofSeconds(9));
        assertThat(happened).isEmpty();
        time.advance(Duration.ofSeconds(1));

        assertThat(happened).containsExactly("next");
    }

    @Test
    void forNoTimeItGoesOnAtOnce() {
        pause(Duration.ZERO);

        assertThat(happened).containsExactly("next");
    }

    @Test
    void itsPauseEndsWithIt() {
        pause(Duration.ofSeconds(10));

        future.cancel(true);
        time.advance(Duration.ofSeconds(10));

        assertThat(happened).containsExactly("cancelled");
    }

    @Test
    void itsPauseEndsWhenItIsCompletedFromOutside() {
        pause(Duration.ofSeconds(10));

        future.complete("enough");
        time.advance(Duration.ofSeconds(10));

        assertThat(happened).containsExactly("cancelled");
    }

    @Test
    void noTimeIsLeftForWhatComesAfterAPauseThatTheApplicationEnds() {
        future.pause(
                waits,
                Duration.ofSeconds(10),
                () -> happened.add("late: " + requireNonNull(Deadline.current()).isOver()),
                () -> happened.add("cancelled"));

        waits.stop();

        assertThat(happened).containsExactly("late: true");
        assertThat(Deadline.current()).isNull();
    }

    @Test
    void onceEndedItBeginsNoPause() {
        future.cancel(true);

        pause(Duration.ofSeconds(10));
        time.advance(Duration.ofSeconds(10));

        assertThat(happened).containsExactly("cancelled");
    }

    @Test
    void aPauseThatIsOverIsNotCancelledAnyMore() {
        pause(Duration.ofSeconds(10));
        time.advance(Duration.ofSeconds(10));

        future.cancel(true);

        assertThat(happened).containsExactly("next");
    }

    @Test
    void aPauseThatIsCancelledLeavesNoTimerBehind() {
        Timers timers = new Timers(time);
        PolicyTimeSource counted = PolicyTimeSource.of("orders-", timers);
        future.pause(counted, Duration.ofDays(1), () -> {}, () -> {});
        LinkedFuture ended = new LinkedFuture();
        ended.cancel(true);
        ended.pause(counted, Duration.ofDays(1), () -> {}, () -> {});
        assertThat(timers.waiting).hasValue(1);

        future.cancel(true);

        assertThat(timers.waiting).hasValue(0);
    }

    private void pause(Duration wait) {
        future.pause(waits, wait, () -> happened.add("next"), () -> happened.add("cancelled"));
    }

    @Test
    void aPauseEitherGoesOnOrIsCancelledWhateverTheMoment() throws Exception {
        for (int round = 0; round < 2_000; round++) {
            ManualTimeSource time = new ManualTimeSource();
            LinkedFuture raced = new LinkedFuture();
            AtomicInteger ends = new AtomicInteger();
            raced.pause(
                    PolicyTimeSource.of("raced-", time),
                    Duration.ofSeconds(1),
                    ends::incrementAndGet,
                    ends::incrementAndGet);
            CountDownLatch start = new CountDownLatch(1);
            Thread canceller = new Thread(() -> {
                start.countDown();
                raced.cancel(true);
            });

            canceller.start();
            start.await();
            time.advance(Duration.ofSeconds(1));
            canceller.join();

            assertThat(ends).hasValue(1);
        }
    }

    /** Manual time that counts the timers nobody has cancelled. */
    private record Timers(TimeSource time, AtomicInteger waiting) implements TimeSource {

        Timers(TimeSource time) {
            this(time, new AtomicInteger());
        }

        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            Scheduled scheduled = time.schedule(delay, task);
            waiting.incrementAndGet();
            return () -> {
                scheduled.cancel();
                waiting.decrementAndGet();
            };
        }

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public Instant now() {
            return time.now();
        }

        @Override
        public void sleep(Duration duration) throws InterruptedException {
            time.sleep(duration);
        }

        @Override
        public void park(Object blocker, Duration atMost) {
            time.park(blocker, atMost);
        }
    }
}
