package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.exception.BulkheadFullException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How one tries a bulkhead before it bites: {@code enforce} is the share of refusals that is really made. */
class EnforcedShareTests {

    @ParameterizedTest
    @EnumSource
    void aCallThatFindsNoPlaceRunsWithoutOne(Caller caller) {
        TestBulkhead calls = notEnforced(caller, 1, 0);
        Call first = calls.start(caller);
        first.assertRunsSoon();

        Call second = calls.start(caller);
        Call third = calls.start(caller);

        second.assertRunsSoon();
        third.assertRunsSoon();
        calls.assertGauges(1, 0);
        second.end();
        third.end();
        calls.assertGauges(1, 0);
        first.end();
        TestBulkhead.soon(() -> calls.bulkhead.running() == 0);
        calls.start(caller).end();
        calls.assertCounted(2, 0, 0);
        assertThat(wouldReject(calls)).isEqualTo(2);
        TestBulkhead.soon(() -> !calls.bulkhead.poolHasWork());
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatHasWaitedLongEnoughRunsWithoutAPlace(Caller caller) {
        TestBulkhead calls = notEnforced(caller, 1, 1);
        Call first = calls.start(caller);
        first.assertRunsSoon();
        Call second = calls.start(caller);
        second.assertWaits();

        calls.time.advance(TestBulkhead.QUEUE_TIMEOUT);

        second.assertRunsSoon();
        calls.assertGauges(1, 0);
        second.end();
        calls.assertGauges(1, 0);
        first.end();
        calls.assertCounted(1, 0, 0);
        assertThat(wouldReject(calls)).isEqualTo(1);
    }

    @Test
    void anAsynchronousCallThatFindsNoPlaceRunsWhereItIsCalled() {
        TestBulkhead calls = notEnforced(Caller.ASYNCHRONOUS, 1, 0);
        calls.start(Caller.ASYNCHRONOUS);

        Thread ranOn = calls.pipeline
                .callAsync(() -> CompletableFuture.completedFuture(Thread.currentThread()))
                .join();

        assertThat(ranOn).isSameAs(Thread.currentThread());
    }

    @ParameterizedTest
    @EnumSource
    void theEndOfTheApplicationRefusesAllTheSame(Caller caller) {
        TestBulkhead calls = notEnforced(caller, 1, 1);
        calls.start(caller).assertRunsSoon();
        Call waiting = calls.start(caller);

        calls.bulkhead.stopWaits();

        assertThat(waiting.refusal()).isInstanceOf(BulkheadFullException.class);
        assertThat(calls.start(caller).refusal()).isInstanceOf(BulkheadFullException.class);
        assertThat(wouldReject(calls)).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"ASYNCHRONOUS", "ASYNCHRONOUS_FOR_POOL"})
    void aCallWithoutAPlaceCanBeCancelled(Caller caller) {
        TestBulkhead calls = notEnforced(caller, 1, 0);
        calls.start(caller).assertRunsSoon();
        Call second = calls.start(caller);
        second.assertRunsSoon();

        second.answer().cancel(true);

        TestBulkhead.soon(() -> second.body().isCancelled());
        calls.assertGauges(1, 0);
    }

    private static TestBulkhead notEnforced(Caller caller, int maxConcurrent, int maxQueue) {
        TestBulkhead calls = new TestBulkhead(caller.type, maxConcurrent, maxQueue);
        calls.bulkhead.reconfigure(BulkheadPolicy.builder()
                .type(caller.type)
                .maxConcurrent(maxConcurrent)
                .maxQueue(maxQueue)
                .queueTimeout(Duration.ofSeconds(30))
                .enforce(0)
                .build());
        return calls;
    }

    private static long wouldReject(TestBulkhead calls) {
        return calls.bulkhead.calls().get(BulkheadOutcome.WOULD_REJECT);
    }
}
