package dev.resilience.hedge;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.concurrency.StubTime;
import dev.resilience.concurrency.WithoutLog;
import dev.resilience.event.HedgeOutcome;
import dev.resilience.pipeline.Environment;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.TransactionState;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whatever both attempts and the caller do at the same moment, the call has one end, and no attempt goes on. */
@ExtendWith(WithoutLog.class)
class HedgedCallInterleavingTests {

    @Interleaved
    void ofTwoAnswersAtOnceOneWinsAndTheOtherAttemptIsStopped(Interleavings mode) {
        mode.explore(threads -> {
            Race race = new Race();
            check(race.call.secondBegins(), "The second attempt does not begin");

            race.call.endsWith(HedgeOutcome.SECOND_WON, race.second);

            threads.run(
                    () -> race.call.ended(HedgeOutcome.FIRST_WON, "first", null), () -> race.second.complete("second"));

            boolean firstWon = race.count(HedgeOutcome.FIRST_WON) == 1;
            check(firstWon || race.count(HedgeOutcome.SECOND_WON) == 1, "The call is counted otherwise");
            check((firstWon ? "first" : "second").equals(race.call.getNow(null)), "The answer is the loser's");
            race.checkEnd();
        });
    }

    @Interleaved(alwaysModelChecked = true)
    void aFirstFailureAndTheSecondsBeginningAgreeOnWhoEndsTheCall(Interleavings mode) {
        mode.explore(threads -> {
            Race race = new Race();
            IOException failure = new IOException();

            threads.run(
                    () -> race.call.ended(HedgeOutcome.FIRST_WON, null, failure),
                    () -> race.dueAndEnds("second", null));

            boolean secondWon = race.count(HedgeOutcome.SECOND_WON) == 1;
            check(secondWon || race.call.isCompletedExceptionally(), "The call has another end");
            check(secondWon == "second".equals(race.answer()), "The call is counted otherwise");
            race.checkEnd();
        });
    }

    @Interleaved
    void ofTwoFailuresTheLastEndsTheCall(Interleavings mode) {
        mode.explore(threads -> {
            Race race = new Race();
            IOException[] failures = {new IOException(), new IOException()};

            threads.run(
                    () -> race.call.ended(HedgeOutcome.FIRST_WON, null, failures[0]),
                    () -> race.dueAndEnds(null, failures[1]));

            check(race.call.isCompletedExceptionally(), "A call that failed has another end");
            race.checkEnd();
        });
    }

    @Interleaved
    void aCallerWhoGivesUpEndsTheCallOrAnAnswerDoes(Interleavings mode) {
        mode.explore(threads -> {
            Race race = new Race();
            IOException failure = new IOException();

            threads.run(() -> race.call.ended(HedgeOutcome.FIRST_WON, null, failure), () -> race.call.cancel(true));

            check(race.call.isCompletedExceptionally(), "A call that failed has another end");
            race.checkEnd();
        });
    }

    private static final class Race {

        private final Hedge hedge;
        private final HedgedCall call;
        private final CompletableFuture<Object> first = new CompletableFuture<>();
        private final CompletableFuture<Object> second = new CompletableFuture<>();
        private volatile boolean hasBegun;

        Race() {
            StubTime time = new StubTime();
            RetryBudget retries = new RetryBudget("orders", RetryBudgetPolicy.defaults(), time);
            HedgePolicy policy = HedgePolicy.builder().maxExtraLoad(1).build();
            hedge = new Hedge("orders", policy, Environment.of(time), retries, TransactionState.NONE);
            hedge.ended(HedgeOutcome.FIRST, 0, true); // pays for the second attempt
            call = new HedgedCall(hedge, () -> null);
            call.firstReturned(first);
            call.second = second;
        }

        void dueAndEnds(Object answer, Throwable failure) {
            if (call.secondBegins()) {
                hasBegun = true;
                call.endsWith(HedgeOutcome.SECOND_WON, second);
                if (failure == null) {
                    second.complete(answer);
                } else {
                    second.completeExceptionally(failure);
                }
            }
        }

        long count(HedgeOutcome outcome) {
            return hedge.calls().get(outcome);
        }

        Object answer() {
            return call.isCompletedExceptionally() ? null : call.getNow(null);
        }

        void checkEnd() {
            check(call.isDone(), "The call goes on");
            check(hedge.calls().total() == 2, "The call is not counted once");
            check(
                    !hasBegun || count(HedgeOutcome.FIRST) == 1,
                    "A second attempt begins behind the end"); // the other call
            check(first.isDone() && second.isDone(), "An attempt goes on");
        }
    }

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }
}
