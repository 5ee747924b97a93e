package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.concurrency.Effort;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two time limits on one thread, which has but one flag; each with a clock of its own, and all at the same moment. */
@Timeout(120)
class NestedRaceTests {

    private static final int ROUNDS = Effort.of(300, 2_000);

    private final TestTimeLimit outer = new TestTimeLimit(RunsOn.CALLER);
    private final TestTimeLimit inner = new TestTimeLimit(RunsOn.CALLER);
    private final Pipeline both = Pipeline.of(outer.limit, inner.limit);
    private final CyclicBarrier round = new CyclicBarrier(3);
    private final AtomicInteger inBody = new AtomicInteger();
    private final AtomicInteger ending = new AtomicInteger();
    private final AtomicBoolean stopped = new AtomicBoolean();

    @Test
    void noInterruptOfEitherIsLeftOnTheThread() throws Exception {
        List<Thread> clocks = List.of(clock(outer, 61), clock(inner, 53));
        long exceeded = 0;
        for (int i = 1; i <= ROUNDS; i++) {
            round.await(30, TimeUnit.SECONDS);
            try {
                call(i);
            } catch (TimeLimitExceededException either) {
                exceeded++;
            }
            assertThat(Thread.currentThread().isInterrupted())
                    .as("after call %s", i)
                    .isFalse();
            round.await(30, TimeUnit.SECONDS);
            assertThat(Thread.currentThread().isInterrupted())
                    .as("after the timers of call %s", i)
                    .isFalse();
        }
        stopped.set(true);
        round.await(30, TimeUnit.SECONDS);
        for (Thread clock : clocks) {
            clock.join();
        }

        assertThat(outer.limit.calls().total()).isEqualTo(ROUNDS);
        assertThat(inner.limit.calls().total()).isEqualTo(ROUNDS);
        assertThat(exceeded).isPositive();
    }

    private void call(int number) throws Exception {
        both.call(() -> {
            inBody.set(number);
            while (ending.get() < number) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < number % 128; i++) {
                Thread.onSpinWait();
            }
            return "ok";
        });
    }

    private Thread clock(TestTimeLimit calls, int spread) {
        Thread clock = new Thread(() -> {
            for (int i = 1; ; i++) {
                awaitOthers();
                if (stopped.get()) {
                    return;
                }
                while (inBody.get() < i) {
                    Thread.onSpinWait();
                }
                for (int wait = 0; wait < i % spread; wait++) {
                    Thread.onSpinWait();
                }
                ending.set(i);
                calls.timeIsOver();
                awaitOthers();
            }
        });
        clock.setDaemon(true);
        clock.start();
        return clock;
    }

    private void awaitOthers() {
        try {
            round.await(30, TimeUnit.SECONDS);
        } catch (Exception broken) {
            throw new AssertionError(broken);
        }
    }
}
