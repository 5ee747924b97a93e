package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TestTimeLimit.Call;
import dev.resilience.timelimit.TestTimeLimit.Ended;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NestedTimeLimitsTests {

    private final ManualTimeSource time = new ManualTimeSource();

    @AfterEach
    void noFlagIsLeftBehind() {
        assertThat(Thread.interrupted()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"CALLER, CALLER", "CALLER, WORKER", "WORKER, CALLER", "WORKER, WORKER"})
    void theShorterOneInsideEndsItsBodyAlone(RunsOn outside, RunsOn inside) {
        Pipeline outer = Pipeline.of(limit("outer", 5, outside));
        Pipeline inner = Pipeline.of(limit("inner", 2, inside));
        CountDownLatch running = new CountDownLatch(1);
        Call call = TestTimeLimit.startThread(() -> outer.call(() -> {
            try {
                return inner.call(() -> blocked(running));
            } catch (TimeLimitExceededException exceeded) {
                return exceeded.name() + ", flag " + Thread.currentThread().isInterrupted();
            }
        }));
        TestTimeLimit.soon(() -> running.getCount() == 0);

        time.advance(Duration.ofSeconds(2));

        assertThat(call.end().result()).isEqualTo("inner, flag false");
    }

    @ParameterizedTest
    @CsvSource({"CALLER, CALLER", "CALLER, WORKER", "WORKER, CALLER", "WORKER, WORKER"})
    void theShorterOneOutsideEndsBoth(RunsOn outside, RunsOn inside) {
        Pipeline both = Pipeline.of(limit("outer", 2, outside), limit("inner", 5, inside));
        CountDownLatch running = new CountDownLatch(1);
        Call call = TestTimeLimit.start(both, () -> blocked(running));
        TestTimeLimit.soon(() -> running.getCount() == 0);

        time.advance(Duration.ofSeconds(2));

        Ended ended = call.end();
        assertThat(ended.failure())
                .isInstanceOfSatisfying(
                        TimeLimitExceededException.class,
                        exceeded -> assertThat(exceeded.name()).isEqualTo("outer"));
        assertThat(ended.interrupted()).isFalse();
    }

    /** Or the code between the two would go on for as long as it likes. */
    @Test
    void theInterruptOfTheOuterOneIsNotLostWithThatOfTheInner() {
        Pipeline outer = Pipeline.of(limit("outer", 5, RunsOn.CALLER));
        Pipeline inner = Pipeline.of(limit("inner", 2, RunsOn.CALLER));
        AtomicBoolean betweenBoth = new AtomicBoolean();

        assertThatThrownBy(() -> outer.call(() -> {
                    try {
                        return inner.call(() -> {
                            time.advance(Duration.ofSeconds(2)); // first the inner one's, which goes unnoticed
                            time.advance(Duration.ofSeconds(3)); // then the outer one's
                            return "too late for both";
                        });
                    } finally {
                        betweenBoth.set(Thread.currentThread().isInterrupted());
                    }
                }))
                .hasMessageStartingWith("Time limit 'outer' exceeded")
                .cause()
                .hasMessageStartingWith("Time limit 'inner' exceeded");
        assertThat(betweenBoth).isTrue();
    }

    private TimeLimit limit(String name, int seconds, RunsOn thread) {
        TimeLimitPolicy policy = TimeLimitPolicy.builder()
                .timeout(Duration.ofSeconds(seconds))
                .thread(thread)
                .build();
        return new TimeLimit(name, policy, Environment.of(time));
    }

    private static Object blocked(CountDownLatch running) throws InterruptedException {
        running.countDown();
        return TestTimeLimit.blocked();
    }
}
