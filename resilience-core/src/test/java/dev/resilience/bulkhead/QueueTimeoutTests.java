package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.pipeline.Environment;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@EnumSource(Caller.class)
class QueueTimeoutTests {

    private final Caller caller;
    private final TestBulkhead calls;
    private final Call running;

    QueueTimeoutTests(Caller caller) {
        this.caller = caller;
        this.calls = new TestBulkhead(caller.type, 1, 5);
        this.running = calls.start(Caller.ASYNCHRONOUS);
    }

    @Test
    void endsTheWait() {
        Call waiting = calls.start(caller);
        calls.time.advance(TestBulkhead.QUEUE_TIMEOUT);

        assertThat(waiting.refusal())
                .isInstanceOf(BulkheadFullException.class)
                .hasMessage("Bulkhead 'orders' refused the call: it waited in the queue for 30 s");

        calls.assertGauges(1, 0);
        calls.assertCounted(1, 0, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void isNotMovedByAClockThatIsSet(int hours) {
        Call waiting = calls.start(caller);
        calls.time.shiftWallClock(Duration.ofHours(hours));
        calls.time.advance(TestBulkhead.QUEUE_TIMEOUT.minusNanos(1));
        waiting.assertWaits();

        calls.time.advance(Duration.ofNanos(1));

        assertThat(waiting.refusal()).hasMessageEndingWith("it waited in the queue for 30 s");
    }

    @Test
    void doesNotEndItEarly() {
        Call waiting = calls.start(caller);
        calls.time.advance(TestBulkhead.QUEUE_TIMEOUT.minusNanos(1));
        waiting.assertWaits();

        running.end();

        waiting.assertRunsSoon();
        waiting.end();
        calls.assertCounted(2, 0, 0);
    }

    @Test
    void isMeasuredForEachCallerFromItsOwnArrival() {
        Call first = calls.start(caller);
        calls.time.advance(Duration.ofSeconds(20));
        Call second = calls.start(caller);

        calls.time.advance(Duration.ofSeconds(10));

        assertThat(first.refusal()).isInstanceOf(BulkheadFullException.class);
        second.assertWaits();
        calls.assertGauges(1, 1);
        running.end();
        second.assertRunsSoon();
    }

    @Test
    void givesNothingToTheOneWhoGaveUp() {
        Call waiting = calls.start(caller);
        calls.time.advance(TestBulkhead.QUEUE_TIMEOUT);
        waiting.refusal();

        running.end();

        calls.assertGauges(0, 0);
        assertThat(waiting.began()).isFalse();
        Call next = calls.start(caller);
        assertThat(next.isRunning()).isTrue();
        calls.assertGauges(1, 0);
    }

    @Test
    void doesNotTouchACallThatHasItsPlace() {
        Call waiting = calls.start(caller);
        running.end();
        waiting.assertRunsSoon();

        calls.time.advance(Duration.ofDays(1));

        waiting.end();
        calls.assertCounted(2, 0, 0);
    }

    @Test
    void mayBeAsLongAsADurationCanBe() {
        Bulkhead patient = new Bulkhead(
                "patient",
                BulkheadPolicy.builder()
                        .maxConcurrent(1)
                        .queueTimeout(Duration.ofSeconds(Long.MAX_VALUE))
                        .build(),
                Environment.of(calls.time));
        Call first = calls.start(patient, caller);
        Call second = calls.start(patient, caller);

        calls.time.advance(Duration.ofDays(365 * 100));

        second.assertWaits();
        first.end();
        second.assertRunsSoon();
    }
}
