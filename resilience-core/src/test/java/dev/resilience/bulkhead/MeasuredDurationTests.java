package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How long a call holds its permit, as the calls see that wait for one. */
class MeasuredDurationTests {

    private static final int PERMITS = 2;
    private static final int QUEUE = 10;
    private static final Duration STEP = Duration.ofMillis(50);

    @ParameterizedTest
    @EnumSource
    void isTheWaitTimesThePermitsDividedByThoseThatWereGranted(Caller caller) {
        TestBulkhead calls = new TestBulkhead(caller.type, PERMITS, QUEUE);
        Deque<Call> inOrder = new ArrayDeque<>();

        endOneAfterTheOther(calls, caller, inOrder, 50);
        assertThat(calls.bulkhead.measuredDuration()).as("too few waits").isNull();

        endOneAfterTheOther(calls, caller, inOrder, 100);
        assertThat(calls.bulkhead.measuredDuration()).isEqualTo(STEP.multipliedBy(PERMITS));
        inOrder.forEach(Call::end);
    }

    @ParameterizedTest
    @EnumSource
    void isUnknownWhileNoCallWaits(Caller caller) {
        TestBulkhead calls = new TestBulkhead(caller.type, PERMITS, QUEUE);
        for (int i = 0; i < 1_100; i++) {
            Call call = calls.start(caller);
            calls.time.advance(STEP);
            call.end();
        }

        assertThat(calls.bulkhead.measuredDuration()).isNull();
    }

    /** Each call holds its permit for two steps. */
    private static void endOneAfterTheOther(TestBulkhead calls, Caller caller, Deque<Call> inOrder, int count) {
        for (int i = 0; i < count; i++) {
            while (inOrder.size() < PERMITS + QUEUE) {
                inOrder.add(calls.start(caller));
            }
            calls.time.advance(STEP);
            Call ended = inOrder.remove();
            ended.assertRunsSoon();
            ended.end();
            TestBulkhead.soon(() -> calls.bulkhead.queued() == QUEUE - 1
                    && calls.time.parkedThreads() == (caller.isBlocking() ? QUEUE - 1 : 0));
        }
    }
}
