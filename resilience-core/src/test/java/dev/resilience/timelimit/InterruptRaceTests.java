package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The end of the body and the end of its time, at the same moment, again and again. */
@Timeout(120)
class InterruptRaceTests {

    private static final int ROUNDS = 20_000;

    private final CyclicBarrier round = new CyclicBarrier(2);
    private final AtomicInteger inBody = new AtomicInteger();
    private final AtomicInteger advanced = new AtomicInteger();
    private final AtomicBoolean stopped = new AtomicBoolean();

    @ParameterizedTest
    @EnumSource(RunsOn.class)
    void eachCallHasOneOutcomeAndNoInterruptIsLeftNorComesLater(RunsOn thread) throws Exception {
        TestTimeLimit calls = new TestTimeLimit(thread);
        Thread clock = new Thread(() -> keepTime(calls));
        clock.start();
        int inTime = 0;
        int timedOut = 0;
        for (int i = 1; i <= ROUNDS; i++) {
            int number = i;
            round.await(30, TimeUnit.SECONDS);
            try {
                calls.pipeline.call(() -> body(number));
                inTime++;
            } catch (TimeLimitExceededException exceeded) {
                timedOut++;
            }
            assertThat(Thread.currentThread().isInterrupted())
                    .as("after call %s", i)
                    .isFalse();
            while (advanced.get() < i) {
                Thread.onSpinWait();
            }
            assertThat(Thread.currentThread().isInterrupted())
                    .as("after the timer of call %s", i)
                    .isFalse();
        }
        stopped.set(true);
        round.await(30, TimeUnit.SECONDS);
        clock.join();

        assertThat(inTime + timedOut).isEqualTo(ROUNDS);
        calls.assertCounted(inTime, timedOut);
        assertThat(inTime).as("in time").isPositive();
        assertThat(timedOut).as("timed out").isPositive();
        TestTimeLimit.soon(() -> calls.limit.workers() == 0);
    }

    /** A worker begins each of its bodies without a flag; how long the body takes differs a little each time. */
    private Object body(int number) {
        boolean interruptedAtOnce = Thread.currentThread().isInterrupted();
        inBody.set(number);
        if (interruptedAtOnce) {
            throw new AssertionError("A flag was left to call " + number);
        }
        for (int i = 0; i < number % 64; i++) {
            Thread.onSpinWait();
        }
        return "ok";
    }

    private void keepTime(TestTimeLimit calls) {
        for (int i = 1; ; i++) {
            try {
                round.await(30, TimeUnit.SECONDS);
            } catch (Exception broken) {
                throw new AssertionError(broken);
            }
            if (stopped.get()) {
                return;
            }
            while (inBody.get() < i) {
                Thread.onSpinWait();
            }
            for (int wait = 0; wait < i % 61; wait++) {
                Thread.onSpinWait();
            }
            calls.timeIsOver();
            advanced.set(i);
        }
    }
}
