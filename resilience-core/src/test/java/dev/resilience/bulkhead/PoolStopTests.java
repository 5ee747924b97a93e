package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.exception.BulkheadFullException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The end of a pool whose application stops. */
@Timeout(60)
class PoolStopTests {

    private final TestBulkhead calls = new TestBulkhead(BulkheadPolicy.Type.THREAD_POOL, 1, 1);

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = ".*POOL")
    void sendsAwayWhoIsInLine(Caller caller) {
        Call running = calls.start(caller);
        Call inLine = calls.start(caller);

        calls.bulkhead.stopPool();

        assertThat(inLine.refusal()).isInstanceOf(BulkheadFullException.class).hasMessageContaining("stopped");
        running.body().complete("ok");
        soon(running.answer()::isDone);
        soon(() -> calls.bulkhead.running() == 0);
        calls.assertGauges(0, 0);
        calls.assertCounted(1, 1, 0);
        assertThat(calls.bulkhead.poolHasWork()).isFalse();
        calls.start(caller).end();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_NONE, names = ".*POOL")
    void whatRunsOnItsCallersThreadIsNotStopped(Caller caller) {
        TestBulkhead semaphore = new TestBulkhead(1, 1);
        Call running = semaphore.start(caller);
        Call inLine = semaphore.start(caller);
        assertThat(semaphore.bulkhead.poolHasWork()).isFalse();

        semaphore.bulkhead.stopPool();

        semaphore.assertGauges(1, 1);
        running.end();
        inLine.assertRunsSoon();
        inLine.end();
    }

    @Test
    void aPoolThatIsNoLongerOneHasWorkUntilItsCallsHaveEnded() {
        Call running = calls.start(Caller.BLOCKING_FOR_POOL);
        calls.bulkhead.reconfigure(BulkheadPolicy.defaults());
        assertThat(calls.bulkhead.poolHasWork()).isTrue();

        running.end();

        soon(() -> !calls.bulkhead.poolHasWork());
    }
}
