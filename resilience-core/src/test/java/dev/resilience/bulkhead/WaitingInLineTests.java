package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.exception.BulkheadFullException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class WaitingInLineTests {

    @Nested
    @ParameterizedClass
    @EnumSource(Caller.class)
    class ACaller {

        private final Caller caller;
        private final TestBulkhead calls;
        private final Call running;

        ACaller(Caller caller) {
            this.caller = caller;
            this.calls = new TestBulkhead(caller.type, 1, 2);
            this.running = calls.start(Caller.ASYNCHRONOUS);
        }

        @Test
        void getsThePlaceThatIsGivenBack() {
            Call waiting = calls.start(caller);
            waiting.assertWaits();
            calls.assertGauges(1, 1);

            running.end();

            waiting.assertRunsSoon();
            calls.assertGauges(1, 0);
            waiting.end();
            calls.assertGauges(0, 0);
            calls.assertCounted(2, 0, 0);
        }

        @Test
        void getsAPlaceThatIsGivenBackByAFailure() {
            Call waiting = calls.start(caller);

            running.body().completeExceptionally(new AssertionError("broken"));

            waiting.assertRunsSoon();
            waiting.end();
        }

        @Test
        void getsAPlaceThatIsGivenBackByACancellation() {
            Call waiting = calls.start(caller);

            running.answer().cancel(true);

            waiting.assertRunsSoon();
            waiting.end();
        }

        @Test
        void isRefusedIfTheLineIsFull() {
            Call first = calls.start(caller);
            Call second = calls.start(caller);

            assertThat(calls.start(caller).refusal())
                    .isInstanceOf(BulkheadFullException.class)
                    .hasMessageEndingWith("1 call runs and 2 wait, which are the limits");

            calls.assertGauges(1, 2);
            calls.assertCounted(1, 1, 0);
            first.assertWaits();
            second.assertWaits();
        }

        @Test
        void findsRoomInTheLineWhenAnotherOneHasLeftIt() {
            Call first = calls.start(caller);
            calls.start(caller);
            running.end();
            first.assertRunsSoon();

            Call late = calls.start(caller);

            late.assertWaits();
            calls.assertGauges(1, 2);
        }

        @Test
        void doesNotOvertakeThoseWhoWait() {
            Call first = calls.start(caller);
            running.end();
            first.assertRunsSoon();
            Call second = calls.start(caller);
            Call third = calls.start(caller);

            first.end();
            second.assertRunsSoon();
            third.assertWaits();

            second.end();
            third.assertRunsSoon();
        }
    }

    /** Blocking and asynchronous callers stand in one line. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void firstComeFirstServed(long seed) {
        Random random = new Random(seed);
        TestBulkhead calls = new TestBulkhead(1, 30);
        List<Call> line = new ArrayList<>();
        line.add(calls.start(Caller.ASYNCHRONOUS));
        for (int i = 0; i < 30; i++) {
            line.add(calls.start(random.nextBoolean() ? Caller.BLOCKING : Caller.ASYNCHRONOUS));
        }
        calls.assertGauges(1, 30);

        for (int next = 0; next < line.size(); next++) {
            line.get(next).assertRunsSoon();
            assertThat(line.subList(next + 1, line.size())).allSatisfy(Call::assertWaits);
            line.get(next).end();
        }

        calls.assertGauges(0, 0);
        calls.assertCounted(31, 0, 0);
    }

    @Test
    void asManyRunAtOnceAsThereArePlaces() {
        TestBulkhead calls = new TestBulkhead(3, 3);
        List<Call> first = List.of(
                calls.start(Caller.ASYNCHRONOUS), calls.start(Caller.BLOCKING), calls.start(Caller.ASYNCHRONOUS));
        List<Call> second =
                List.of(calls.start(Caller.BLOCKING), calls.start(Caller.ASYNCHRONOUS), calls.start(Caller.BLOCKING));
        calls.assertGauges(3, 3);

        first.get(1).end();
        second.get(0).assertRunsSoon();
        calls.assertGauges(3, 2);

        first.get(0).end();
        first.get(2).end();
        soon(() -> second.stream().allMatch(Call::isRunning));
        calls.assertGauges(3, 0);
    }

    @Test
    void aPlaceThatIsHandedOverBelongsToTheOneInLineBeforeItWakesUp() {
        TestBulkhead calls = new TestBulkhead(1, 1);
        Call running = calls.start(Caller.ASYNCHRONOUS);
        Call waiting = calls.start(Caller.BLOCKING);

        running.end();
        Call newcomer = calls.start(Caller.ASYNCHRONOUS);

        newcomer.assertWaits();
        waiting.assertRunsSoon();
        waiting.end();
        newcomer.assertRunsSoon();
    }
}
