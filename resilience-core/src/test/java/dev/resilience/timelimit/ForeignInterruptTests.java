package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.context.ContextCarrier;
import dev.resilience.event.EventPublisher;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBuilder;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.timelimit.TestTimeLimit.Call;
import dev.resilience.timelimit.TestTimeLimit.Ended;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Interrupts by the application: they reach the body, and are not lost to the caller. */
class ForeignInterruptTests {

    @AfterEach
    void clearTheFlag() {
        Thread.interrupted();
    }

    @ParameterizedTest
    @EnumSource(RunsOn.class)
    void beforeTheCallReachesTheBodyAndStays(RunsOn thread) throws Exception {
        TestTimeLimit calls = new TestTimeLimit(thread);
        Thread.currentThread().interrupt();

        boolean seen = calls.pipeline.call(() -> Thread.currentThread().isInterrupted());

        assertThat(seen).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        calls.assertCounted(1, 0);
    }

    @ParameterizedTest
    @EnumSource(RunsOn.class)
    void duringTheCallReachesTheBody(RunsOn thread) {
        TestTimeLimit calls = new TestTimeLimit(thread);
        Call call = calls.startAndAwait(TestTimeLimit::blocked);

        call.thread().interrupt();

        Ended ended = call.end();
        assertThat(ended.failure()).isInstanceOf(InterruptedException.class);
        assertThat(ended.interrupted()).isEqualTo(thread == RunsOn.WORKER);
        calls.assertCounted(1, 0);
    }

    @ParameterizedTest
    @EnumSource(RunsOn.class)
    void beforeOursStaysWhenTheTimeIsOver(RunsOn thread) {
        TestTimeLimit calls = new TestTimeLimit(thread);
        CountDownLatch latch = new CountDownLatch(1);
        Call call = calls.startAndAwait(() -> {
            while (latch.getCount() > 0) {
                Thread.onSpinWait(); // leaves the flag as it is
            }
            return "too late";
        });
        call.thread().interrupt();

        calls.timeIsOver();
        latch.countDown();

        Ended ended = call.end();
        assertThat(ended.failure()).isInstanceOf(TimeLimitExceededException.class);
        assertThat(ended.interrupted()).isTrue();
        calls.assertCounted(0, 1);
    }

    @Test
    void aFlagThatTheBodySetsAgainAfterOursIsTakenForOurs() {
        TestTimeLimit calls = new TestTimeLimit(RunsOn.CALLER);
        Call call = calls.startAndAwait(() -> {
            try {
                return TestTimeLimit.blocked();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt(); // as everybody does
                throw new IllegalStateException(interrupted);
            }
        });

        calls.timeIsOver();

        Ended ended = call.end();
        assertThat(ended.failure())
                .isInstanceOf(TimeLimitExceededException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThat(ended.interrupted()).isFalse();
    }

    @Test
    void aFlagThatABodyLeavesInTimeStays() throws Exception {
        TestTimeLimit calls = new TestTimeLimit(RunsOn.CALLER);

        calls.pipeline.call(() -> {
            Thread.currentThread().interrupt();
            return "in time";
        });

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        calls.assertCounted(1, 0);
    }

    @Test
    void aCallerInterruptedAtADeafWorkerWaitsNoLongerThanItsTime() {
        TestTimeLimit calls = new TestTimeLimit(RunsOn.WORKER);
        CountDownLatch latch = new CountDownLatch(1);
        Call call = calls.startAndAwait(() -> {
            TestTimeLimit.deaf(latch);
            return "too late";
        });
        call.thread().interrupt();
        assertThat(call.ended()).isNotDone();

        calls.timeIsOver();

        Ended ended = call.end();
        assertThat(ended.failure()).isInstanceOf(TimeLimitExceededException.class);
        assertThat(ended.interrupted()).isTrue();
        latch.countDown();
        TestTimeLimit.soon(() -> calls.limit.workers() == 0);
    }

    /** Wherever the body runs: what it has swallowed is not there for the retry to see. */
    @ParameterizedTest
    @EnumSource
    void aBodyThatSwallowsItHasItsNextAttemptWhenTheTimeOfThisOneIsOver(BulkheadPolicy.Type type) {
        TestTimeLimit calls = new TestTimeLimit(RunsOn.CALLER);
        EventPublisher events = new EventPublisher();
        Retry retry = RetryBuilder.retry("orders", RetryPolicy.defaults())
                .timeSource(calls.time)
                .events(events)
                .build();
        Bulkhead bulkhead = new Bulkhead(
                "orders",
                BulkheadPolicy.builder().type(type).build(),
                new Environment(calls.time, events, FaultClassification.ofJdk(), ContextCarrier.standard()));
        AtomicInteger attempts = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch swallowed = new CountDownLatch(1);
        Call call = TestTimeLimit.start(Pipeline.of(bulkhead, retry, calls.limit), () -> {
            if (attempts.incrementAndGet() > 1) {
                return "second";
            }
            begun.countDown();
            try {
                TestTimeLimit.blocked();
            } catch (InterruptedException ofCaller) {
                swallowed.countDown();
            }
            return TestTimeLimit.blocked();
        });
        TestTimeLimit.deaf(begun);
        call.thread().interrupt();
        TestTimeLimit.deaf(swallowed);

        calls.timeIsOver();

        assertThat(call.end().result()).isEqualTo("second");
        calls.assertCounted(1, 1);
    }

    @Test
    void aWorkerHasNoFlagForItsNextCall() throws Exception {
        TestTimeLimit calls = new TestTimeLimit(RunsOn.WORKER, 1);
        AtomicBoolean flag = new AtomicBoolean();
        assertThatThrownBy(() -> calls.pipeline.call(() -> {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("with its flag set");
                }))
                .isInstanceOf(IllegalStateException.class);

        flag.set(calls.pipeline.call(() -> Thread.currentThread().isInterrupted()));

        assertThat(flag).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
