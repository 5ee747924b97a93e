package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.idempotency.store.RecordLockedException;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** A record that some transaction has locked when a call ends: the caller does not wait, and the store is told later. */
class LockedRecordTests {

    private static final Duration MAX_LEASE = Duration.ofMinutes(5);

    private final ManualTimeSource time = new ManualTimeSource();
    private final LockableStore store = new LockableStore();
    private final Idempotency idempotency = new Idempotency(
            "orders", IdempotencyPolicy.builder().maxLease(MAX_LEASE).build(), store, Environment.of(time));

    private Object call(Callable<?> body) throws Throwable {
        Pipeline pipeline = TestIdempotency.pipeline(idempotency, new TextOperation(TextOperation.NAME, ""));
        Object result = pipeline.invoke(TestIdempotency.invocation("key", "payload", body));
        return result == null ? "nothing" : result;
    }

    @Test
    void theResultIsStoredWhenTheLockIsGone() throws Throwable {
        store.locked = true;
        assertThat(call(() -> "first")).isEqualTo("first");
        time.advance(Duration.ofMinutes(1));
        CountedOutcomes.assertCounted(idempotency);

        store.locked = false;
        time.advance(Duration.ofSeconds(1));

        CountedOutcomes.assertCounted(idempotency, IdempotencyOutcome.EXECUTED);
        assertThat(call(() -> "second")).isEqualTo("first");
    }

    @Test
    void theKeyIsFreedWhenTheLockIsGone() throws Throwable {
        store.locked = true;
        assertThatThrownBy(() -> call(() -> {
                    throw new IllegalStateException("of the body");
                }))
                .hasMessage("of the body");

        store.locked = false;
        time.advance(Duration.ofSeconds(1));

        CountedOutcomes.assertCounted(idempotency, IdempotencyOutcome.RELEASED);
        assertThat(call(() -> "second")).isEqualTo("second");
    }

    @Test
    void itIsTriedNoLongerThanALeaseMayLast() throws Throwable {
        store.locked = true;
        call(() -> "first");

        time.advance(MAX_LEASE.plusSeconds(1));

        CountedOutcomes.assertCounted(idempotency, IdempotencyOutcome.STORE_FAILURE);
        int tries = store.tries;
        time.advance(MAX_LEASE);
        assertThat(store.tries).isEqualTo(tries);
    }

    /** Claims are answered at once, and so is what the owner of a record does, until a transaction locks it. */
    private final class LockableStore extends ForwardingStore {

        private boolean locked;
        private int tries;

        LockableStore() {
            super(new MemoryIdempotencyStore(time));
        }

        private void check() {
            tries++;
            if (locked) {
                throw new RecordLockedException("a transaction has it");
            }
        }

        @Override
        public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
            check();
            return super.complete(token, result, ttl);
        }

        @Override
        public boolean release(LeaseToken token) {
            check();
            return super.release(token);
        }
    }
}
