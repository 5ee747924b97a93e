package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.concurrency.StubTime;
import dev.resilience.event.Events;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.Claim.Acquired;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A transaction that fails if anybody changes the record after it has looked: it locks the record before the body. */
class SnapshotTransactionTests {

    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final ManualTimeSource time = new ManualTimeSource();
    private final Store store = new Store();
    private final Transaction transaction = new Transaction();
    private final AttemptRecorder key = held("key", time);

    private AttemptRecorder held(String name, TimeSource its) {
        Idempotency idempotency =
                new Idempotency("orders", IdempotencyPolicy.builder().build(), store, its, new Events());
        ClaimRequest request = new ClaimRequest(
                RecordKey.of(TextOperation.NAME, "", name), "owner", "", INTERVAL.multipliedBy(3), INTERVAL, false);
        return new IdempotentExecution(
                        idempotency, new TextOperation(TextOperation.NAME, ""), (Acquired) store.claim(request))
                .attempts();
    }

    @Test
    void locksTheRecordAndIsNotDisturbed() {
        assertThat(key.begin()).isNull();

        assertThat(transaction.locks).hasValue(1);
        time.advance(INTERVAL.multipliedBy(5));
        assertThat(store.renewals).hasValue(0);
    }

    @Test
    void isNotDisturbedByARenewalThatCannotBeCalledOffAnyMore() {
        StubTime deaf = new StubTime() {
            @Override
            public Scheduled schedule(Duration delay, Runnable task) {
                super.schedule(delay, task);
                return () -> {};
            }
        };

        assertThat(held("another", deaf).begin()).isNull();
        deaf.timerGoesOff();

        assertThat(store.renewals).hasValue(0);
    }

    @Test
    void waitsForARenewalThatIsUnderWay() throws Exception {
        store.mayRenew = new CountDownLatch(1);
        Thread renewing = new Thread(() -> time.advance(INTERVAL));
        renewing.start();
        store.isRenewing.await();

        FutureTask<AttemptRecorder.EarlierAnswer> beginning = new FutureTask<>(key::begin);
        Thread attempt = new Thread(beginning);
        attempt.start();
        Awaitility.await().until(() -> attempt.getState() == Thread.State.WAITING);
        assertThat(transaction.locks).hasValue(0);

        store.mayRenew.countDown();
        assertThat(beginning.get()).isNull();
        assertThat(transaction.locks).hasValue(1);
        renewing.join();
    }

    @Test
    void isRolledBackBeforeTheBodyIfTheKeyIsAnothersByNow() {
        transaction.isMine = false;

        assertThatThrownBy(key::begin).isInstanceOf(IdempotencyLeaseLostException.class);

        assertThat(transaction.rollsBack).isInstanceOf(IdempotencyLeaseLostException.class);
        assertThatThrownBy(key::begin).isInstanceOf(IdempotencyLeaseLostException.class);
        assertThat(transaction.locks).hasValue(1);
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
        key.begin();
        transaction.failure = new IllegalStateException("the server has gone");

        assertThatThrownBy(() -> key.returned("result")).isInstanceOf(IdempotencyStoreException.class);

        time.advance(INTERVAL);
        assertThat(store.renewals).hasValue(0);
        transaction.listeners.forEach(end -> end.accept(StoreTransaction.End.ROLLED_BACK));

        time.advance(INTERVAL);
        assertThat(store.renewals).hasPositiveValue();
    }

    private final class Store extends ForwardingStore {

        private final AtomicInteger renewals = new AtomicInteger();
        private final CountDownLatch isRenewing = new CountDownLatch(1);
        private volatile CountDownLatch mayRenew = new CountDownLatch(0);

        Store() {
            super(new MemoryIdempotencyStore(new ManualTimeSource()));
        }

        @Override
        public boolean renew(Ownership ownership, Duration lease) {
            renewals.incrementAndGet();
            isRenewing.countDown();
            try {
                mayRenew.await();
            } catch (InterruptedException over) {
                throw new IllegalStateException(over);
            }
            return super.renew(ownership, lease);
        }

        @Override
        public StoreTransaction currentTransaction() {
            return transaction;
        }
    }

    private static final class Transaction implements StoreTransaction {

        private final AtomicInteger locks = new AtomicInteger();
        private final List<Consumer<End>> listeners = new ArrayList<>();
        private boolean isMine = true;
        private @Nullable RuntimeException failure;
        private @Nullable RuntimeException rollsBack;

        private void failIfItIsToFail() {
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public boolean complete(Ownership ownership, StoredResult result, Duration ttl) {
            failIfItIsToFail();
            return isMine;
        }

        @Override
        public boolean renew(Ownership ownership, Duration lease) {
            failIfItIsToFail();
            locks.incrementAndGet();
            return isMine;
        }

        @Override
        public boolean release(Ownership ownership) {
            return isMine;
        }

        @Override
        public ClaimStatus statusOf(Ownership ownership) {
            return isMine ? ClaimStatus.IN_PROGRESS : ClaimStatus.LOST;
        }

        @Override
        public void beforeCommit(Runnable action, Consumer<End> end) {
            listeners.add(end);
        }

        @Override
        public boolean isSnapshot() {
            return true;
        }

        @Override
        public void rollbackOnly(RuntimeException why) {
            rollsBack = why;
        }
    }
}
