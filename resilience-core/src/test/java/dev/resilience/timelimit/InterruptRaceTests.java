package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.concurrency.Effort;
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

    private static final int ROUNDS = Effort.of(500, 3_000);

    private final CyclicBarrier round = new CyclicBarrier(2);
    private final AtomicInteger inBody = new AtomicInteger();
    private final AtomicInteger ending = new AtomicInteger();
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
            round.await(30, TimeUnit.SECONDS);
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

    /**
     * Ends at once, or at about the moment when its time does, or after that. A worker begins each of its bodies without
     * a flag.
     */
    private Object body(int number) {
        if (Thread.currentThread().isInterrupted() && ending.get() < number) {
            throw new AssertionError("A flag was left to call " + number);
        }
        inBody.set(number);
        int kind = number % 4;
        while (kind > 0 && ending.get() < number) {
            Thread.onSpinWait();
        }
        for (int i = 0; i < number % 128; i++) {
            Thread.onSpinWait();
        }
        while (kind == 3 && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
        return "ok";
    }

    private void keepTime(TestTimeLimit calls) {
        for (int i = 1; ; i++) {
            awaitOthers();
            if (stopped.get()) {
                return;
            }
            while (inBody.get() < i) {
                Thread.onSpinWait();
            }
            ending.set(i);
            calls.timeIsOver();
            awaitOthers();
        }
    }

    private void awaitOthers() {
        try {
            round.await(30, TimeUnit.SECONDS);
        } catch (Exception broken) {
            throw new AssertionError(broken);
        }
    }
}
