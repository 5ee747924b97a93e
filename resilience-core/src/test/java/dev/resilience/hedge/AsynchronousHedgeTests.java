package dev.resilience.hedge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.context.Deadline;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.HedgeOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AsynchronousHedgeTests {

    private final TestHedge calls = new TestHedge().measured();

    @Test
    void noCallIsHedgedBeforeAHundredAreMeasured() {
        TestHedge few = new TestHedge().measured(99, TestHedge.USUAL); // the next one is the hundredth
        assertThat(few.hedge.delay()).isNull();

        few.call();
        few.time.advance(Duration.ofHours(1));

        assertThat(few.attempts).hasSize(1);
        few.measure();
        assertThat(few.delay())
                .isBetween(TestHedge.USUAL, TestHedge.USUAL.multipliedBy(104).dividedBy(100));
    }

    @Test
    void aFastCallHasOneAttempt() {
        CompletableFuture<String> answer = calls.call();
        calls.time.advance(calls.delay().minusNanos(1));
        calls.attempts.get(0).complete("first");
        calls.time.advance(Duration.ofSeconds(10));

        assertThat(answer).isCompletedWithValue("first");
        assertThat(calls.attempts).hasSize(1);
        assertThat(calls.hedge.attempts()).isZero();
    }

    @Test
    void aSlowCallHasASecondAttemptWhoseAnswerWinsAndTheFirstIsCancelled() {
        CompletableFuture<String> answer = calls.call();
        calls.secondIsDue();
        assertThat(calls.attempts).hasSize(2);
        assertThat(calls.numbers).containsExactly(1, 2);

        calls.attempts.get(1).complete("second");

        assertThat(answer).isCompletedWithValue("second");
        assertThat(calls.attempts.get(0)).isCancelled();
        assertThat(calls.count(HedgeOutcome.SECOND_WON)).isEqualTo(1);
    }

    @Test
    void theFirstMayWinAfterAllAndTheSecondIsCancelled() {
        CompletableFuture<String> answer = calls.call();
        calls.secondIsDue();

        calls.attempts.get(0).complete("first");

        assertThat(answer).isCompletedWithValue("first");
        assertThat(calls.attempts.get(1)).isCancelled();
        assertThat(calls.count(HedgeOutcome.FIRST_WON)).isEqualTo(1);
    }

    @Test
    void aLateAnswerOfTheLoserIsIgnored() {
        CompletableFuture<String> deaf = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false;
            }
        };
        CompletableFuture<String> answer = calls.pipeline.callAsync(() -> {
            calls.attempts.add(new CompletableFuture<>());
            return calls.attempts.size() == 1 ? deaf : calls.attempts.get(1);
        });
        calls.secondIsDue();
        calls.attempts.get(1).complete("second");
        deaf.completeExceptionally(new IOException("late"));

        assertThat(answer).isCompletedWithValue("second");
        assertThat(calls.hedge.calls().total()).isEqualTo(1_002);
    }

    @Test
    void aFailureBeforeTheSecondIsDueIsNotRepeated() {
        IOException failure = new IOException("reset");
        CompletableFuture<String> answer = calls.call();

        calls.attempts.get(0).completeExceptionally(failure);
        calls.time.advance(Duration.ofSeconds(10));

        assertThatThrownBy(answer::get).cause().isSameAs(failure);
        assertThat(calls.attempts).hasSize(1);
    }

    @Test
    void theFailureOfOneWaitsForTheOther() {
        for (int failing : new int[] {0, 1}) {
            calls.attempts.clear();
            CompletableFuture<String> answer = calls.call();
            calls.secondIsDue();

            calls.attempts.get(failing).completeExceptionally(new IOException("reset"));
            assertThat(answer).isNotDone();
            calls.attempts.get(1 - failing).complete("ok");

            assertThat(answer).isCompletedWithValue("ok");
        }
    }

    /** As of a callee that keeps idempotency keys, and refuses what comes later while the earlier runs. */
    @Test
    void aRefusalOfOneDoesNotEndTheOther() {
        for (int refused : new int[] {0, 1}) {
            calls.attempts.clear();
            CompletableFuture<String> answer = calls.call();
            calls.secondIsDue();

            calls.attempts
                    .get(refused)
                    .completeExceptionally(new IllegalArgumentException("409: the key is in progress"));
            assertThat(answer).isNotDone();
            calls.attempts.get(1 - refused).complete("paid");

            assertThat(answer).isCompletedWithValue("paid");
        }
        assertThat(calls.count(HedgeOutcome.FIRST_WON)).isEqualTo(1);
        assertThat(calls.count(HedgeOutcome.SECOND_WON)).isEqualTo(1);
    }

    /** On manual time the second attempt runs inside the first one. */
    @Test
    void aFutureThatComesLateIsCancelledIfTheSecondHasAnswered() {
        CompletableFuture<String> late = new CompletableFuture<>();
        CompletableFuture<String> answer = calls.pipeline.callAsync(() -> {
            calls.attempts.add(late);
            if (calls.attempts.size() == 1) {
                calls.secondIsDue();
                return late;
            }
            return CompletableFuture.completedFuture("second");
        });

        assertThat(answer).isCompletedWithValue("second");
        assertThat(late).isCancelled();
    }

    @Test
    void anExceptionThatIsAConstantCollectsFewEarlierOnes() {
        IOException constant = new IOException("reset");
        for (int i = 0; i < 20; i++) {
            calls.attempts.clear();
            calls.call();
            calls.secondIsDue();
            calls.attempts.get(0).completeExceptionally(new IOException("first"));
            calls.attempts.get(1).completeExceptionally(constant);
            calls.measured(1_000, TestHedge.USUAL); // pays for the next
        }

        assertThat(calls.count(HedgeOutcome.UNANSWERED)).isEqualTo(20);
        assertThat(constant.getSuppressed()).hasSize(10);
    }

    @Test
    void whenBothFailTheLastFailureIsThrownWithTheEarlierSuppressed() {
        for (int failing : new int[] {0, 1}) {
            calls.attempts.clear();
            IOException[] failures = {new IOException("first"), new IOException("second")};
            CompletableFuture<String> answer = calls.call();
            calls.secondIsDue();

            calls.attempts.get(failing).completeExceptionally(failures[failing]);
            calls.attempts.get(1 - failing).completeExceptionally(failures[1 - failing]);

            assertThat(answer).isCompletedExceptionally();
            assertThatThrownBy(answer::get).cause().isSameAs(failures[1 - failing]);
            assertThat(failures[1 - failing].getSuppressed()).containsExactly(failures[failing]);
        }
        assertThat(calls.count(HedgeOutcome.UNANSWERED)).isEqualTo(2);
    }

    @Test
    void cancellingTheCallCancelsBothAttempts() {
        CompletableFuture<String> answer = calls.call();
        calls.secondIsDue();

        answer.cancel(true);

        assertThat(calls.attempts).hasSize(2).allMatch(CompletableFuture::isCancelled);
        assertThat(calls.count(HedgeOutcome.UNANSWERED)).isEqualTo(1);
        assertThat(calls.hedge.waits.hasWork()).isFalse();
    }

    @Test
    void aCallThatIsCancelledBeforeItsSecondAttemptHasNone() {
        CompletableFuture<String> answer = calls.call();
        answer.cancel(true);
        calls.secondIsDue();

        assertThat(calls.attempts).hasSize(1).allMatch(CompletableFuture::isCancelled);
    }

    @Test
    void noSecondAttemptBeginsAfterTheDeadline() throws Exception {
        Duration little = calls.delay().dividedBy(2);
        CompletableFuture<String> answer = Deadline.in(little, calls.time).call(calls::call);
        calls.secondIsDue();

        assertThat(calls.attempts).hasSize(1);
        calls.attempts.get(0).complete("first");
        assertThat(answer).isCompletedWithValue("first");
    }

    @Test
    void noSecondAttemptBeginsWhenTheApplicationEnds() {
        CompletableFuture<String> answer = calls.call();
        calls.hedge.close();
        calls.secondIsDue();
        calls.attempts.get(0).complete("first");

        assertThat(answer).isCompletedWithValue("first");
        assertThat(calls.attempts).hasSize(1);
    }

    @Test
    void aCallInATransactionOfItsCallerIsNotHedged() {
        calls.inTransaction = true;
        calls.call();
        calls.secondIsDue();

        assertThat(calls.attempts).hasSize(1);
    }

    @Test
    void aCallThatMayHaveAnEffectIsHedgedOnlyInsideAnIdempotentOne() {
        TestHedge effects = new TestHedge(HedgePolicy.defaults()).measured();
        effects.call();
        effects.secondIsDue();
        assertThat(effects.attempts).hasSize(1);

        IdempotencyContext key = new IdempotencyContext(purpose -> "key", 1, this);
        IdempotencyContext.makeCurrent(key);
        IdempotencyContext[] seen = new IdempotencyContext[2];
        int[] attempts = {0};
        try {
            effects.pipeline.callAsync(() -> {
                seen[attempts[0]++] = IdempotencyContext.current();
                return new CompletableFuture<>();
            });
        } finally {
            IdempotencyContext.makeCurrent(null);
        }
        effects.secondIsDue();

        assertThat(Arrays.asList(seen)).containsExactly(key, key);
    }

    @Test
    void whatTheSecondAttemptRunsInIsTheCallersContext() throws Exception {
        Deadline deadline = Deadline.in(Duration.ofMinutes(1), calls.time);
        Deadline[] seen = new Deadline[2];
        int[] attempts = {0};
        deadline.call(() -> calls.pipeline.callAsync(() -> {
            seen[attempts[0]++] = Deadline.current();
            return new CompletableFuture<>();
        }));
        calls.secondIsDue();

        assertThat(seen).containsExactly(deadline, deadline);
    }
}
