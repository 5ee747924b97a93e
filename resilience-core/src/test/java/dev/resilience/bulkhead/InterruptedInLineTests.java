package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.bulkhead.TestBulkhead.Ended;
import dev.resilience.exception.BulkheadFullException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(BulkheadPolicy.Type.class)
class InterruptedInLineTests {

    private final TestBulkhead calls;

    InterruptedInLineTests(BulkheadPolicy.Type type) {
        this.calls = new TestBulkhead(type, 1, 5);
    }

    @AfterEach
    void clearTheFlag() {
        Thread.interrupted();
    }

    @Test
    void aCallerIsRefusedWithItsFlagSet() {
        calls.start(Caller.ASYNCHRONOUS);
        Call waiting = calls.start(Caller.BLOCKING);

        waiting.thread().interrupt();

        assertThat(waiting.refusal())
                .isInstanceOf(BulkheadFullException.class)
                .hasMessage("Bulkhead 'orders' refused the call: it was interrupted while it waited in the queue");
        assertThat(waiting.answer().handle((result, failure) -> ((Ended) failure).interrupted))
                .isCompletedWithValue(true);
        calls.assertGauges(1, 0);
        calls.assertCounted(1, 1, 0);
    }

    @Test
    void aCallerIsGivenNothingLater() {
        Call running = calls.start(Caller.ASYNCHRONOUS);
        Call waiting = calls.start(Caller.BLOCKING);
        Call behind = calls.start(Caller.BLOCKING);
        waiting.thread().interrupt();
        waiting.refusal();

        running.end();

        behind.assertRunsSoon();
        behind.end();
        calls.assertGauges(0, 0);
        calls.assertCounted(2, 1, 0);
    }

    @Test
    void othersKeepWaiting() {
        calls.start(Caller.ASYNCHRONOUS);
        Call first = calls.start(Caller.BLOCKING);
        Call second = calls.start(Caller.BLOCKING);

        second.thread().interrupt();

        second.refusal();
        first.assertWaits();
        calls.assertGauges(1, 1);
    }

    @Test
    void aCallerThatCameInterruptedDoesNotWait() {
        calls.start(Caller.ASYNCHRONOUS);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> calls.pipeline.call(() -> "never")).isInstanceOf(BulkheadFullException.class);

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        calls.assertGauges(1, 0);
        calls.assertCounted(1, 1, 0);
    }

    @Test
    void aCallerThatCameInterruptedRunsIfThereIsAPlace() throws Exception {
        Thread.currentThread().interrupt();

        assertThat(calls.pipeline.call(() -> Thread.currentThread().isInterrupted()))
                .isTrue();

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        calls.assertCounted(1, 0, 0);
    }

    @Test
    void anAsynchronousCallThatCameInterruptedWaitsAllTheSame() {
        Call running = calls.start(Caller.ASYNCHRONOUS);
        Thread.currentThread().interrupt();
        Call waiting = calls.start(Caller.ASYNCHRONOUS);
        assertThat(Thread.interrupted()).isTrue();

        waiting.assertWaits();
        running.end();
        waiting.assertRunsSoon();
    }

    @Test
    void anUnparkForNoReasonDoesNotEndTheWait() {
        Call running = calls.start(Caller.ASYNCHRONOUS);
        Call waiting = calls.start(Caller.BLOCKING);

        for (int i = 0; i < 100; i++) {
            LockSupport.unpark(waiting.thread());
        }

        soon(() -> calls.time.parkedThreads() == 1);
        waiting.assertWaits();
        running.end();
        waiting.assertRunsSoon();
    }
}
