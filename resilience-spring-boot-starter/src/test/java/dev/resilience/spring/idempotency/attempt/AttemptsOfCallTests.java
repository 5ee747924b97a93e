package dev.resilience.spring.idempotency.attempt;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.OUTCOME_UNKNOWN;
import static dev.resilience.event.IdempotencyOutcome.RELEASED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoreTransaction.End;
import dev.resilience.idempotency.tck.ForwardingStore;
import dev.resilience.spring.idempotency.CountedOutcomes;
import dev.resilience.spring.idempotency.attempt.AttemptRecorder.Attempt;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Of several attempts of a call, one of which it may have given up, each decides about its own effect alone. */
class AttemptsOfCallTests {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration INTERVAL = LEASE.dividedBy(3);
    private static final String TOO_LARGE = "x".repeat(2_000);

    private final ManualTimeSource time = new ManualTimeSource();
    private final Store store = new Store();
    private final UnfinishedOperation operation = new UnfinishedOperation();
    private final RunningCall running = new RunningCall(
            IdempotencyPolicy.builder()
                    .maxResultSize(1_000)
                    .replayExceptions(List.of(IllegalStateException.class))
                    .build(),
            store,
            time,
            operation);
    private final Idempotency idempotency = running.idempotency;
    private final TransactionalExecution call = running.execution;
    private final ScriptedTransaction first = new ScriptedTransaction();
    private final ScriptedTransaction second = new ScriptedTransaction();

    private Attempt begin(@Nullable ScriptedTransaction in) {
        store.current = in;
        Attempt attempt = call.attempts().begin();
        assertThat(attempt.isAnswered()).isFalse();
        return attempt;
    }

    private void ends(Attempt attempt, @Nullable ScriptedTransaction in, String result) {
        store.current = in;
        attempt.returned(result);
    }

    private void callReturns(String result) {
        store.current = null;
        call.callReturned(result, true);
    }

    @Nested
    class OfWhoseTransactionsTheStoreHearsNothing {

        @Test
        void aRollbackOfOneThatWasGivenUpLeavesTheResultOfAnother() {
            Attempt givenUp = begin(null);
            Attempt live = begin(null);
            ends(live, null, "live");
            ends(givenUp, null, "given up");
            givenUp.undone();

            callReturns("live");

            CountedOutcomes.assertCounted(idempotency, EXECUTED);
        }

        @Test
        void aCommitOfOneThatWasGivenUpDoesNotHideTheRollbackOfAnother() {
            Attempt givenUp = begin(null);
            Attempt live = begin(null);
            ends(live, null, "live");
            live.undone();
            ends(givenUp, null, "given up");

            callReturns("live");

            CountedOutcomes.assertCounted(idempotency, RELEASED);
        }

        @Test
        void ofTwoWithTheSameResultOneEffectIsEnough() {
            Attempt one = begin(null);
            Attempt other = begin(null);
            ends(one, null, "paid");
            ends(other, null, "paid");
            one.undone();

            callReturns("paid");

            CountedOutcomes.assertCounted(idempotency, EXECUTED);
        }

        @Test
        void theLastOneCountsWhereAnAdviceHasReplacedItsResult() {
            Attempt last = begin(null);
            ends(last, null, "paid");
            last.undone();

            callReturns("replaced");

            CountedOutcomes.assertCounted(idempotency, RELEASED);
        }
    }

    @Nested
    class InTransactions {

        @Test
        void oneThatWasGivenUpDoesNotDecideAboutTheResultOfAnother() {
            operation.isFinal = false;
            Attempt givenUp = begin(first);
            Attempt live = begin(second);
            ends(live, second, "live");
            second.commit();
            ends(givenUp, first, "given up");

            callReturns("live");
            first.end(End.ROLLED_BACK);

            CountedOutcomes.assertCounted(idempotency, EXECUTED);
        }

        @Test
        void theAnswerOfOneThatWasGivenUpIsStoredByItsCommit() {
            Attempt givenUp = begin(first);
            givenUp.threw(new IllegalStateException("declined"));
            call.callThrew(new IllegalArgumentException("the call is out of time"));

            first.commit();

            assertThat(first.written).hasSize(1);
            CountedOutcomes.assertCounted(idempotency, EXECUTED);
        }

        @Test
        void theAnswerOfOneThatWasGivenUpIsStoredByItsCommitAfterTheFailureOfAnother() {
            Attempt givenUp = begin(first);
            givenUp.threw(new IllegalStateException("declined"));
            begin(second).threw(new IllegalArgumentException("passing"));
            second.end(End.ROLLED_BACK);

            first.commit();
            store.current = null;
            call.callThrew(new IllegalArgumentException("passing"));

            assertThat(first.written).hasSize(1);
            CountedOutcomes.assertCounted(idempotency, EXECUTED);
        }

        @Test
        void onceTheAnswerOfOneThatWasGivenUpIsBeingStoredNoOtherIsCommitted() {
            Attempt givenUp = begin(first);
            givenUp.threw(new IllegalStateException("declined"));
            Attempt live = begin(second);
            first.commit();

            store.current = second;
            assertThatThrownBy(() -> live.returned("live")).isInstanceOf(IdempotencyLeaseLostException.class);

            assertThat(second.rollsBack).isInstanceOf(IdempotencyLeaseLostException.class);
            CountedOutcomes.assertCounted(idempotency, EXECUTED);
        }

        @Test
        void theLeaseIsRenewedWhileTheEndOfOneIsNotKnown() {
            ends(begin(first), first, "result");
            first.end(End.UNKNOWN);

            time.advance(LEASE.plusSeconds(1));

            assertThat(store.renewals).hasValue(3);
        }

        @Test
        void theLeaseIsRenewedWhileOneRunsThatHasFoundOutThatAnotherIsRolledBack() {
            ends(begin(first), first, "result");
            first.end(End.UNKNOWN);
            begin(second);

            time.advance(INTERVAL);

            assertThat(store.renewals).hasValue(1);
        }

        @Test
        void theLeaseIsRenewedWhileTheTransactionOfAResultThatIsTooLargeGoesOn() {
            Attempt attempt = begin(first);
            assertThatThrownBy(() -> ends(attempt, first, TOO_LARGE)).isInstanceOf(IdempotencyStoreException.class);

            time.advance(INTERVAL);

            assertThat(store.renewals).hasValue(1);
        }

        @Test
        void aRefusedRenewalIsNoLossIfTheUnknownEndOfOneWasItsCommit() {
            ends(begin(first), first, "result");
            store.status = ClaimStatus.COMPLETED;
            first.end(End.UNKNOWN);

            time.advance(INTERVAL);

            second.status = ClaimStatus.COMPLETED;
            store.current = second;
            assertThat(call.attempts().begin().isAnswered()).isTrue();
            callReturns("result");
            CountedOutcomes.assertCounted(idempotency, EXECUTED);
        }

        /** As after a commit, where a transaction that has ended keeps its connection for as long as its thread likes. */
        @Test
        void theEndOfOneIsFoundOutWhenItsConnectionIsReturned() {
            ends(begin(first), first, "result");
            callReturns("result");
            store.status = ClaimStatus.LOCKED;
            first.end(End.UNKNOWN);
            time.advance(LEASE.dividedBy(2));
            CountedOutcomes.assertCounted(idempotency);

            store.status = ClaimStatus.COMPLETED;
            time.advance(LEASE);

            CountedOutcomes.assertCounted(idempotency, EXECUTED);
        }

        @Test
        void theEndOfOneIsUnknownIfItsConnectionIsNotReturnedUntilTheLeaseHasEnded() {
            ends(begin(first), first, "result");
            callReturns("result");
            store.status = ClaimStatus.LOCKED;
            first.end(End.UNKNOWN);

            time.advance(LEASE.multipliedBy(3));

            CountedOutcomes.assertCounted(idempotency, OUTCOME_UNKNOWN);
        }

        /** Its effect may be rolled back, and an answer without it would keep the call from being made again. */
        @Test
        void anExceptionThatIsAnAnswerIsNotKeptIfTheEndOfItsTransactionIsNotKnown() {
            begin(first).threw(new IllegalStateException("declined"));
            call.callThrew(new IllegalStateException("declined"));

            first.end(End.UNKNOWN);
            time.advance(Duration.ofSeconds(1));

            CountedOutcomes.assertCounted(idempotency, RELEASED);
        }

        @Test
        void itIsKeptIfItWasThrownWhileTheTransactionWasCommitted() {
            begin(first).threw(new IllegalStateException("declined"));
            call.callThrew(new IllegalStateException("declined"));

            first.end(End.COMMITTED_BEFORE);

            CountedOutcomes.assertCounted(idempotency, EXECUTED);
        }

        @Test
        void theLeaseIsRenewedAfterASavepointMayHaveTakenTheResultAway() {
            ends(begin(first), first, "result");
            first.end(End.PARTLY_ROLLED_BACK);

            time.advance(INTERVAL);

            assertThat(store.renewals).hasValue(1);
        }

        @Test
        void aLastResultThatIsTooLargeIsRefusedBeforeTheCommit() {
            operation.isFinal = false;
            ends(begin(first), first, TOO_LARGE);
            callReturns(TOO_LARGE);

            assertThatThrownBy(first::commit)
                    .isInstanceOf(IdempotencyStoreException.class)
                    .hasMessageContaining("max-result-size");
            first.end(End.ROLLED_BACK);

            assertThat(first.written).isEmpty();
            CountedOutcomes.assertCounted(idempotency, RELEASED);
        }

        @Test
        void aLastResultThatCannotBeWrittenIsRefused() {
            operation.isFinal = false;
            ends(begin(first), first, "result");
            operation.fails = true;

            store.current = first;
            assertThatThrownBy(() -> call.callReturned("result", true)).isInstanceOf(IdempotencyStoreException.class);

            assertThat(first.rollsBack).isInstanceOf(IdempotencyStoreException.class);
        }
    }

    /** A method whose results may ask for another attempt. */
    private static final class UnfinishedOperation extends RunningCall.TextOperation {

        private boolean isFinal = true;
        private boolean fails;

        @Override
        public boolean isFinal(@Nullable Object result) {
            return isFinal;
        }

        @Override
        public byte[] write(@Nullable Object result) {
            if (fails) {
                throw new IllegalArgumentException("no serializer");
            }
            return super.write(result);
        }
    }

    private static final class Store extends ForwardingStore {

        private final AtomicInteger renewals = new AtomicInteger();
        private @Nullable ScriptedTransaction current;
        private ClaimStatus status = ClaimStatus.IN_PROGRESS;

        Store() {
            super(new MemoryIdempotencyStore(new ManualTimeSource()));
        }

        @Override
        public boolean renew(LeaseToken token, Duration lease) {
            renewals.incrementAndGet();
            return status == ClaimStatus.IN_PROGRESS && super.renew(token, lease);
        }

        @Override
        public ClaimStatus statusOf(LeaseToken token) {
            return status;
        }

        @Override
        public @Nullable StoreTransaction currentTransaction() {
            return current;
        }
    }
}
