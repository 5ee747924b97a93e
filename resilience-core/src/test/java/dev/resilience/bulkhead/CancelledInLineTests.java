package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(BulkheadPolicy.Type.class)
class CancelledInLineTests {

    private final TestBulkhead calls;
    private final Call running;

    CancelledInLineTests(BulkheadPolicy.Type type) {
        this.calls = new TestBulkhead(type, 1, 2);
        this.running = calls.start(Caller.ASYNCHRONOUS);
    }

    @Test
    void aCallLeavesTheLine() {
        Call waiting = calls.start(Caller.ASYNCHRONOUS);

        waiting.answer().cancel(true);

        calls.assertGauges(1, 0);
        calls.assertCounted(1, 1, 0);
    }

    @Test
    void aCallNeverRuns() {
        Call waiting = calls.start(Caller.ASYNCHRONOUS);
        waiting.answer().cancel(true);

        running.end();

        assertThat(waiting.began()).isFalse();
        calls.assertGauges(0, 0);
        calls.assertCounted(1, 1, 0);
    }

    @Test
    void aCallTakesNothingFromThoseBehindIt() {
        Call first = calls.start(Caller.ASYNCHRONOUS);
        Call second = calls.start(Caller.ASYNCHRONOUS);
        first.answer().cancel(true);
        Call third = calls.start(Caller.BLOCKING);

        running.end();
        second.assertRunsSoon();
        second.end();
        third.assertRunsSoon();
        third.end();

        calls.assertGauges(0, 0);
    }

    @Test
    void aCallIsCountedOnceAndItsTimeoutIsForgotten() {
        Call waiting = calls.start(Caller.ASYNCHRONOUS);
        waiting.answer().cancel(true);
        waiting.answer().cancel(true);

        calls.time.advance(Duration.ofDays(1));

        calls.assertCounted(1, 1, 0);
    }

    @Test
    void aCallThatItsCallerCompletesIsCancelledToo() {
        Call waiting = calls.start(Caller.ASYNCHRONOUS);

        waiting.answer().complete("the caller knows better");
        running.end();

        assertThat(waiting.began()).isFalse();
        calls.assertGauges(0, 0);
        calls.assertCounted(1, 1, 0);
    }

    @Test
    void aCallThatGotItsPlaceMeanwhileGivesItBack() {
        Call waiting = calls.start(Caller.ASYNCHRONOUS);
        Call behind = calls.start(Caller.ASYNCHRONOUS);
        running.end();
        waiting.assertRunsSoon();

        waiting.answer().cancel(true);

        assertThat(waiting.body()).isCancelled();
        behind.assertRunsSoon();
        behind.end();
        calls.assertGauges(0, 0);
        calls.assertCounted(3, 0, 0);
    }
}
