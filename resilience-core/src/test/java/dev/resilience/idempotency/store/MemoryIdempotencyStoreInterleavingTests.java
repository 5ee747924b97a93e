package dev.resilience.idempotency.store;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.concurrency.StubTime;
import dev.resilience.idempotency.store.Claim.Acquired;
import dev.resilience.idempotency.store.Claim.Completed;
import dev.resilience.idempotency.store.Claim.InProgress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;

/** The store is linearizable: a record has one owner at a time, and only its owner completes, renews or releases it. */
class MemoryIdempotencyStoreInterleavingTests {

    @Interleaved(alwaysModelChecked = true)
    void aRecordHasOneOwner(Interleavings mode) {
        mode.linearizable(Owners.class, OneRecord.class);
    }

    @Interleaved
    void aResultIsStoredOrTheRecordIsTakenOver(Interleavings mode) {
        mode.explore(threads -> {
            Owners owners = new Owners();
            owners.claim(1);
            owners.leaseRunsOut();
            AtomicBoolean completed = new AtomicBoolean();
            AtomicReference<Claimed> claimed = new AtomicReference<>();

            threads.run(() -> completed.set(owners.complete(1)), () -> claimed.set(owners.claim(2)));

            if (claimed.get() != (completed.get() ? Claimed.COMPLETED : Claimed.TAKEN_OVER)) {
                throw new AssertionError("Completed: " + completed + ", and the other claim: " + claimed);
            }
        });
    }

    /** What a claim led to. */
    public enum Claimed {
        ACQUIRED,
        TAKEN_OVER,
        COMPLETED,
        IN_PROGRESS
    }

    /** One owner on each thread, all of one record. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class Owners {

        private static final Duration LEASE = Duration.ofSeconds(10);
        private static final Duration FOR_EVER = Duration.ofDays(1000);
        private static final StoredResult RESULT = new StoredResult(StoredResult.Kind.VALUE, new byte[0]);

        private final StubTime time = new StubTime();
        private final MemoryIdempotencyStore store = new MemoryIdempotencyStore(time);
        private final LeaseToken[] ownerships = new LeaseToken[10];
        private final int[] claims = new int[10];

        @Operation(params = "thread")
        public Claimed claim(int thread) {
            String owner = thread + "/" + claims[thread]++;
            Claim claim =
                    store.claim(new ClaimRequest(RecordKey.of("operation", "", "key"), owner, "", LEASE, LEASE, true));
            if (claim instanceof Acquired acquired) {
                ownerships[thread] = acquired.token();
                return acquired.takenOver() ? Claimed.TAKEN_OVER : Claimed.ACQUIRED;
            }
            if (claim instanceof Completed) {
                return Claimed.COMPLETED;
            }
            if (claim instanceof InProgress) {
                return Claimed.IN_PROGRESS;
            }
            throw new IllegalStateException(claim.toString());
        }

        @Operation(params = "thread")
        public boolean complete(int thread) {
            return ownerships[thread] != null && store.complete(ownerships[thread], RESULT, FOR_EVER);
        }

        @Operation(params = "thread")
        public boolean renew(int thread) {
            return ownerships[thread] != null && store.renew(ownerships[thread], LEASE);
        }

        @Operation(params = "thread")
        public boolean release(int thread) {
            return ownerships[thread] != null && store.release(ownerships[thread]);
        }

        @Operation
        public void leaseRunsOut() {
            time.advance(LEASE.toNanos());
        }
    }

    /** The specification. */
    public static class OneRecord {

        private static final int NOBODY = -1;

        private int owner = NOBODY;
        private boolean abandoned;
        private boolean completed;

        public Claimed claim(int thread) {
            if (completed) {
                return Claimed.COMPLETED;
            }
            if (owner != NOBODY && !abandoned) {
                return Claimed.IN_PROGRESS;
            }
            Claimed claimed = owner == NOBODY ? Claimed.ACQUIRED : Claimed.TAKEN_OVER;
            owner = thread;
            abandoned = false;
            return claimed;
        }

        /** Sent again, it is done. */
        public boolean complete(int thread) {
            boolean mine = owner == thread;
            completed |= mine;
            return mine;
        }

        public boolean renew(int thread) {
            boolean mine = isOwner(thread);
            abandoned &= !mine;
            return mine;
        }

        public boolean release(int thread) {
            boolean mine = isOwner(thread);
            if (mine) {
                owner = NOBODY;
                abandoned = false;
            }
            return mine;
        }

        public void leaseRunsOut() {
            abandoned = owner != NOBODY;
        }

        private boolean isOwner(int thread) {
            return owner == thread && !completed;
        }
    }
}
