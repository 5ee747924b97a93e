package dev.resilience.spring.idempotency.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.tck.ForwardingStore;
import dev.resilience.spring.idempotency.CountedOutcomes;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A transaction that fails if anybody changes the record after it has looked: it locks the record before the body. */
class SnapshotTransactionTests {

    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final ManualTimeSource time = new ManualTimeSource();
    private final Store store = new Store();
    private final ScriptedTransaction transaction = new ScriptedTransaction();
    private final RunningCall running =
            new RunningCall(IdempotencyPolicy.builder().build(), store, time, new RunningCall.TextOperation());
    private final Idempotency idempotency = running.idempotency;
    private final TransactionalExecution call = running.execution;
    private final AttemptRecorder key = call.attempts();

    SnapshotTransactionTests() {
        transaction.isSnapshot = true;
    }

    @Test
    void locksTheRecordAndIsNotDisturbed() {
        assertThat(key.begin().isAnswered()).isFalse();

        assertThat(transaction.locks).hasValue(1);
        time.advance(INTERVAL.multipliedBy(5));
        assertThat(store.renewals).hasValue(0);
    }

    @Test
    void isRolledBackBeforeTheBodyIfItDoesNotSeeItsRecord() {
        transaction.isMine = false;

        assertThatThrownBy(key::begin)
                .isInstanceOf(IdempotencyStoreException.class)
                .hasMessageContainingAll(
                        RunningCall.TextOperation.NAME, "Begin the transaction at the method", "READ COMMITTED");

        assertThat(transaction.rollsBack).isInstanceOf(IdempotencyStoreException.class);
    }

    @Test
    void isRolledBackBeforeTheBodyIfTheKeyIsAnothersByNow() {
        transaction.isMine = false;
        store.status = ClaimStatus.LOST;

        assertThatThrownBy(key::begin).isInstanceOf(IdempotencyLeaseLostException.class);

        assertThat(transaction.rollsBack).isInstanceOf(IdempotencyLeaseLostException.class);
        assertThatThrownBy(key::begin).isInstanceOf(IdempotencyLeaseLostException.class);
        CountedOutcomes.assertCounted(idempotency, IdempotencyOutcome.LEASE_LOST);
    }

    @Test
    void runsNoOtherAttemptOnceItWasRefused() {
        transaction.isMine = false;
        assertThatThrownBy(key::begin).isInstanceOf(IdempotencyStoreException.class);

        assertThatThrownBy(key::begin).isInstanceOf(IdempotencyStoreException.class);

        assertThat(transaction.locks).hasValue(1);
    }

    @Test
    void freesTheKeyWhenItHasEndedThatItDidNotSee() {
        transaction.isMine = false;
        assertThatThrownBy(key::begin).satisfies(call::callThrew);
        time.advance(INTERVAL);
        assertThat(store.released).isEmpty();

        transaction.end(StoreTransaction.End.ROLLED_BACK);

        assertThat(store.released).hasSize(1);
        CountedOutcomes.assertCounted(idempotency, IdempotencyOutcome.RELEASED);
    }

    @Test
    void isFollowedByNoRenewalThatTheNextOneCouldNotBear() {
        key.begin();
        time.advance(INTERVAL); // one renewal is left out, and the next one is early enough
        transaction.end(StoreTransaction.End.ROLLED_BACK);

        time.advance(INTERVAL.minusMillis(1));
        assertThat(store.renewals).hasValue(0);
        time.advance(Duration.ofMillis(1));
        assertThat(store.renewals).hasValue(1);
    }

    @Test
    void isRenewedOnceASavepointMayHaveTakenTheLockAway() {
        key.begin();
        transaction.end(StoreTransaction.End.PARTLY_ROLLED_BACK);

        time.advance(INTERVAL);

        assertThat(store.renewals).hasValue(1);
        assertThat(key.begin().isAnswered()).isFalse();
        assertThat(transaction.locks).hasValue(2);
    }

    @Test
    void isRolledBackBeforeTheBodyIfTheRecordHasChanged() {
        transaction.failure = new IllegalStateException("could not serialize access");

        assertThatThrownBy(key::begin)
                .isInstanceOf(IdempotencyStoreException.class)
                .hasCause(transaction.failure);

        assertThat(transaction.rollsBack).isInstanceOf(IdempotencyStoreException.class);
    }

    @Test
    void lastsNoLongerThanTheRefusalOfItsResult() {
        AttemptRecorder.Attempt attempt = key.begin();
        transaction.failure = new IllegalStateException("the server has gone");

        assertThatThrownBy(() -> attempt.returned("result")).isInstanceOf(IdempotencyStoreException.class);

        time.advance(INTERVAL);
        assertThat(store.renewals).hasValue(0);
        transaction.end(StoreTransaction.End.ROLLED_BACK);

        time.advance(INTERVAL);
        assertThat(store.renewals).hasPositiveValue();
    }

    private final class Store extends ForwardingStore {

        private final AtomicInteger renewals = new AtomicInteger();
        private final List<LeaseToken> released = new ArrayList<>();
        private ClaimStatus status = ClaimStatus.IN_PROGRESS;

        Store() {
            super(new MemoryIdempotencyStore(new ManualTimeSource()));
        }

        @Override
        public boolean renew(LeaseToken token, Duration lease) {
            renewals.incrementAndGet();
            return super.renew(token, lease);
        }

        @Override
        public ClaimStatus statusOf(LeaseToken token) {
            return status;
        }

        @Override
        public boolean release(LeaseToken token) {
            released.add(token);
            return super.release(token);
        }

        @Override
        public StoreTransaction currentTransaction() {
            return transaction;
        }
    }
}
