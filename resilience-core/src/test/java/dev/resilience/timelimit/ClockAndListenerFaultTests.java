package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.concurrency.StubTime;
import dev.resilience.context.ContextCarrier;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.TimeLimitOutcome;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks that are set and listeners that throw: nothing changes. */
@Timeout(60)
@ParameterizedClass
@EnumSource(RunsOn.class)
class ClockAndListenerFaultTests {

    private final RunsOn thread;
    private final TestTimeLimit calls;

    ClockAndListenerFaultTests(RunsOn thread) {
        this.thread = thread;
        this.calls = new TestTimeLimit(thread);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void noClockThatIsSetEndsACall(int hours) throws Exception {
        assertThat(calls.pipeline.call(() -> {
                    calls.time.advance(TestTimeLimit.TIMEOUT.minusNanos(1));
                    calls.time.shiftWallClock(Duration.ofHours(hours));
                    return "in time";
                }))
                .isEqualTo("in time");
        calls.assertCounted(1, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void noClockThatIsSetMakesACallLast(int hours) {
        assertThatThrownBy(() -> calls.pipeline.call(() -> {
                    calls.time.shiftWallClock(Duration.ofHours(hours));
                    calls.timeIsOver();
                    return TestTimeLimit.blocked();
                }))
                .isInstanceOf(TimeLimitExceededException.class);
        calls.assertCounted(0, 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noListenerThatThrowsHurtsACall(boolean error) {
        EventPublisher events = new EventPublisher();
        events.add(event -> {
            if (error) {
                throw new AssertionError("broken listener");
            }
            throw new IllegalStateException("broken listener");
        });
        ManualTimeSource time = new ManualTimeSource();
        TimeLimitPolicy policy = new TimeLimitPolicy(TestTimeLimit.TIMEOUT, thread, 1);
        TimeLimit limit = new TimeLimit(
                "orders",
                policy,
                new Environment(time, events, FaultClassification.ofJdk(), ContextCarrier.standard()));
        Pipeline pipeline = Pipeline.of(limit);

        assertThatThrownBy(() -> pipeline.call(() -> {
                    time.advance(TestTimeLimit.TIMEOUT);
                    return TestTimeLimit.blocked();
                }))
                .isInstanceOf(TimeLimitExceededException.class);
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> answer = pipeline.callAsync(() -> {
            begun.countDown();
            return new CompletableFuture<>();
        });
        TestTimeLimit.deaf(begun);
        time.advance(TestTimeLimit.TIMEOUT);

        assertThat(answer)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(TimeLimitExceededException.class);
        assertThat(limit.calls().get(TimeLimitOutcome.TIMED_OUT)).isEqualTo(2);
        TestTimeLimit.soon(() -> limit.workers() == 0);
    }

    @Test
    void aStageIsCancelledThoughNoThreadIsLeftForThat() {
        StubTime time = new StubTime() {
            @Override
            public Scheduled schedule(Duration delay, Runnable task) {
                if (delay.isZero()) {
                    throw new OutOfMemoryError("no thread");
                }
                return super.schedule(delay, task);
            }
        };
        TimeLimitPolicy policy = new TimeLimitPolicy(TestTimeLimit.TIMEOUT, thread, 1);
        TimeLimit limit = new TimeLimit("orders", policy, Environment.of(time));
        CompletableFuture<String> stage = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> answer = Pipeline.of(limit).callAsync(() -> {
            begun.countDown();
            return stage;
        });
        TestTimeLimit.deaf(begun);
        TestTimeLimit.soon(() -> limit.workers() == 0); // the stage is there

        time.timerGoesOff();

        assertThat(answer)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(TimeLimitExceededException.class);
        assertThat(stage).isCancelled();
    }
}
