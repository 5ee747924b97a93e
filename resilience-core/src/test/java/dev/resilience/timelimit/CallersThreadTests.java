package dev.resilience.timelimit;

import static dev.resilience.timelimit.TestTimeLimit.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.CallTimedOut;
import dev.resilience.event.TimeLimitOutcome;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.fallback.Fallback;
import dev.resilience.fallback.FallbackMethod;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.TimeSource;
import dev.resilience.timelimit.TestTimeLimit.Call;
import dev.resilience.timelimit.TestTimeLimit.Ended;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallersThreadTests {

    private final TestTimeLimit calls = new TestTimeLimit(RunsOn.CALLER);

    @AfterEach
    void noFlagIsLeftBehind() {
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void theBodyRunsWhereItWasCalled() throws Exception {
        Thread thread = calls.pipeline.call(Thread::currentThread);

        assertThat(thread).isSameAs(Thread.currentThread());
        calls.assertCounted(1, 0);
        assertThat(calls.limit.workers()).isZero();
    }

    @Test
    void whatTheBodyThrowsInTimeIsThrown() {
        IllegalStateException failure = new IllegalStateException("of the body");

        assertThatThrownBy(() -> calls.pipeline.call(() -> {
                    throw failure;
                }))
                .isSameAs(failure);
        calls.assertCounted(1, 0);
    }

    @Test
    void anErrorOfTheBodyIsThrown() {
        AssertionError failure = new AssertionError("of the body");

        assertThatThrownBy(() -> calls.pipeline.call(() -> {
                    throw failure;
                }))
                .isSameAs(failure);
        calls.assertCounted(1, 0);
    }

    @Test
    void aBodyThatTakesTooLongIsInterrupted() {
        Call call = calls.startAndAwait(TestTimeLimit::blocked);
        calls.time.advance(TIMEOUT.minusNanos(1));
        assertThat(call.ended()).isNotDone();

        calls.time.advance(Duration.ofNanos(1));

        Ended ended = call.end();
        assertThat(ended.failure())
                .isInstanceOf(TimeLimitExceededException.class)
                .hasMessage("Time limit 'orders' exceeded: the call took longer than 5 s")
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(((TimeLimitExceededException) ended.failure()).name()).isEqualTo("orders");
        assertThat(ended.interrupted()).isFalse();
        calls.assertCounted(0, 1);
        assertThat(calls.events)
                .containsExactly(new CallTimedOut(Instant.parse("2026-01-01T00:00:05Z"), "orders", TIMEOUT));
    }

    @Test
    void theExceptionComesAsSoonAsADeafBodyLetsGo() {
        CountDownLatch latch = new CountDownLatch(1);
        Call call = calls.startAndAwait(() -> {
            TestTimeLimit.deaf(latch);
            return "too late";
        });
        calls.timeIsOver();
        assertThat(call.ended()).isNotDone();

        latch.countDown();

        Ended ended = call.end();
        assertThat(ended.failure())
                .isInstanceOf(TimeLimitExceededException.class)
                .hasNoCause();
        assertThat(ended.interrupted()).isFalse();
        calls.assertCounted(0, 1);
    }

    @Test
    void whatABodyThrowsTooLateIsTheCause() {
        Error late = new AssertionError("late");

        assertThatThrownBy(() -> calls.pipeline.call(() -> {
                    calls.timeIsOver();
                    throw late;
                }))
                .isInstanceOf(TimeLimitExceededException.class)
                .hasCause(late);
        calls.assertCounted(0, 1);
    }

    @Test
    void anInterruptThatTheBodyDidNotNoticeIsTakenBack() {
        assertThatThrownBy(() -> calls.pipeline.call(() -> {
                    calls.timeIsOver();
                    return "too late";
                }))
                .isInstanceOf(TimeLimitExceededException.class);
        // and see noFlagIsLeftBehind
    }

    @Test
    void aBodyThatEndedInTimeIsNotInterruptedLater() throws Exception {
        calls.pipeline.call(() -> "in time");

        calls.time.advance(TIMEOUT.multipliedBy(2));

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        calls.assertCounted(1, 0);
    }

    @Test
    void theNextCallHasAllItsTime() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        calls.pipeline.call(() -> "first");
        calls.time.advance(TIMEOUT.minusMillis(1));

        calls.pipeline.call(() -> {
            calls.time.advance(TIMEOUT.minusMillis(1));
            interrupted.set(Thread.currentThread().isInterrupted());
            return "second";
        });

        assertThat(interrupted).isFalse();
        calls.assertCounted(2, 0);
    }

    /** Its answer would reach no caller, and be counted as one. */
    @Test
    void whatFailsAtTheEndOfTheTimeBeforeTheInterruptComesHasTakenTooLong() {
        IllegalStateException failure = new IllegalStateException("a timeout of its own");
        AtomicLong nanos = new AtomicLong();
        TimeSource lateTimers = (TimeSource) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {TimeSource.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "nanoTime" -> nanos.get();
                    case "now" -> Instant.EPOCH;
                    default -> (TimeSource.Scheduled) () -> {};
                });
        TimeLimitPolicy policy =
                TimeLimitPolicy.builder().timeout(TIMEOUT).thread(RunsOn.CALLER).build();
        TimeLimit limit = new TimeLimit("orders", policy, Environment.of(lateTimers));

        assertThatThrownBy(() -> Pipeline.of(limit).call(() -> {
                    nanos.addAndGet(TIMEOUT.toNanos());
                    throw failure;
                }))
                .isInstanceOf(TimeLimitExceededException.class)
                .hasCause(failure);
        assertThat(limit.calls().get(TimeLimitOutcome.TIMED_OUT)).isOne();
    }

    @Test
    void aFallbackInsideDoesNotAnswerForALimitThatIsOver() {
        Fallback fallback = new Fallback(
                "Orders.place",
                new FallbackMethod() {
                    @Override
                    public boolean answers(Throwable failure) {
                        return true;
                    }

                    @Override
                    public Object answer(Invocation invocation, Throwable failure) {
                        return "fallback";
                    }
                },
                TimeSource.system());

        assertThatThrownBy(() -> Pipeline.of(calls.limit, fallback).call(() -> {
                    calls.timeIsOver();
                    throw new IllegalStateException("interrupted");
                }))
                .isInstanceOf(TimeLimitExceededException.class);
    }
}
