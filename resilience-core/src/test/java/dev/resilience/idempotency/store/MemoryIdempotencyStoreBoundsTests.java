package dev.resilience.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class MemoryIdempotencyStoreBoundsTests {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration TTL = Duration.ofHours(1);
    private static final int MAX_BYTES = 10_000;

    private final ManualTimeSource time = new ManualTimeSource();
    private final MemoryIdempotencyStore store = new MemoryIdempotencyStore(time, MAX_BYTES);
    private int ids;

    private static RecordKey key(String key) {
        return RecordKey.of("operation", "", key);
    }

    private Claim claim(String id) {
        return store.claim(request(id, true));
    }

    private static ClaimRequest request(String id, boolean takeOver) {
        return new ClaimRequest(key(id), "owner of " + id, "", LEASE, TTL, takeOver);
    }

    private LeaseToken acquire(String id) {
        return ((Claim.Acquired) claim(id)).token();
    }

    private void complete(LeaseToken token, Duration ttl) {
        complete(token, ttl, 0);
    }

    private void complete(LeaseToken token, Duration ttl, int bytes) {
        StoredResult result = new StoredResult(StoredResult.Kind.VALUE, new byte[bytes]);
        assertThat(store.complete(token, result, ttl)).isTrue();
    }

    /** Returns how many calls there were until one was refused. */
    private int fill(Duration ttl) {
        int before = ids;
        while (true) {
            try {
                complete(acquire("id-" + ids), ttl, 300);
                ids++;
            } catch (IllegalStateException full) {
                return ids - before;
            }
        }
    }

    private void assertRefusesNewKeys() {
        assertThatIllegalStateException()
                .isThrownBy(() -> claim("new"))
                .withMessageContaining(MAX_BYTES + " are allowed")
                .withMessageContaining("resilience.idempotency-store.memory.max-size");
    }

    @Test
    void aResultStaysForItsTimeHoweverManyCallsThereAre() {
        int calls = fill(TTL);

        assertThat(calls).isBetween(10, 40);
        assertRefusesNewKeys();
        for (int i = 0; i < calls; i++) {
            assertThat(claim("id-" + i)).isInstanceOf(Claim.Completed.class);
        }
    }

    @Test
    void largeResultsTakeMoreRoom() {
        complete(acquire("large"), TTL, MAX_BYTES / 2);

        assertThat(store.bytes()).isGreaterThan(MAX_BYTES / 2);
        assertThat(fill(TTL)).isLessThan(20);
    }

    @Test
    void callsThatRunAreRenewedAndStoredThoughThereIsNoRoom() {
        LeaseToken running = acquire("running");
        LeaseToken failing = acquire("failing");
        fill(TTL);

        assertThat(store.renew(running, LEASE)).isTrue();
        complete(running, TTL, MAX_BYTES);
        assertThat(store.release(failing)).isTrue();

        assertThat(claim("running")).isInstanceOf(Claim.Completed.class);
        assertRefusesNewKeys();
    }

    @Test
    void aKeyThatIsKnownIsTakenThoughThereIsNoRoom() {
        complete(acquire("expiring"), Duration.ofSeconds(1));
        acquire("dying");
        fill(TTL);
        time.advance(LEASE);

        assertThat(claim("expiring")).isInstanceOf(Claim.Acquired.class);
        assertThat(store.claim(new ClaimRequest(key("dying"), "another", "", LEASE, TTL, true)))
                .isInstanceOfSatisfying(
                        Claim.Acquired.class,
                        acquired -> assertThat(acquired.takenOver()).isTrue());
    }

    @Test
    void resultsWhoseTimeIsOverMakeRoom() {
        int calls = fill(Duration.ofMinutes(1));
        time.advance(Duration.ofMinutes(1));

        assertThat(fill(TTL)).isEqualTo(calls);
    }

    @Test
    void whatIsOverGoesBeforeAnythingIsRefused() {
        fill(Duration.ofMillis(500));
        assertRefusesNewKeys();

        time.advance(Duration.ofMillis(500));

        assertThat(claim("new")).isInstanceOf(Claim.Acquired.class);
    }

    /** A third is free at all times. */
    @Test
    void noCallIsRefusedAsLongAsTheResultsOfItsTimeHaveRoom() {
        int max = fill(Duration.ofMillis(1));
        for (int i = 0; i < 20_000; i++) {
            time.advance(Duration.ofMillis(1));
            complete(acquire("call-" + i), Duration.ofMillis(max * 2L / 3), 300);
        }

        assertThat(store.size()).isLessThan(max);
    }

    /** Renewed, completed and released again and again, as a poller's keys are. */
    @Test
    void whatIsNotedOfFormerStatesDoesNotGrow() {
        LeaseToken running = acquire("running");
        for (int i = 0; i < 100_000; i++) {
            assertThat(store.renew(running, LEASE)).isTrue();
            store.release(acquire("again"));
        }

        assertThat(store.records.noted).hasSizeLessThan(5_000);
    }

    @Test
    void aPolicyThatKeepsItsResultsForLongLeavesTheOthersTheirShares() {
        store.keepShare("operation", "long");
        store.keepShare("another", "short");
        store.keepShare("third", "unused");
        int ofLong = fill(TTL);

        int ofShort = 0;
        for (boolean isFull = false; !isFull; ofShort += isFull ? 0 : 1) {
            ClaimRequest request =
                    new ClaimRequest(RecordKey.of("another", "", "" + ofShort), "owner", "", LEASE, TTL, true);
            try {
                complete(((Claim.Acquired) store.claim(request)).token(), TTL, 300);
            } catch (IllegalStateException full) {
                isFull = true;
            }
        }

        // a half is common, and each of the three has a sixth
        assertThat(ofLong).isBetween(15, 22);
        assertThat(ofShort).isBetween(3, 6);
        assertThat(store.bytes()).isLessThan(MAX_BYTES);
    }

    @Test
    void aKeyThatIsReleasedLeavesNothing() {
        store.release(acquire("key"));

        assertThat(store.bytes()).isZero();
    }

    @Test
    void abandonedRecordsThatMustNotBeTakenOverNeverGo() {
        store.claim(request("dead", false));
        time.advance(Duration.ofDays(365));
        for (int i = 0; i < 2_000; i++) {
            complete(acquire("done-" + i), Duration.ofSeconds(1));
            time.advance(Duration.ofSeconds(1));
        }

        assertThat(store.claim(new ClaimRequest(key("dead"), "other", "", LEASE, TTL, false)))
                .isInstanceOf(Claim.Abandoned.class);
    }

    @Test
    void abandonedRecordsThatMayBeTakenOverGoThoughNoResultComes() {
        MemoryIdempotencyStore large = new MemoryIdempotencyStore(time);
        for (int i = 0; i < 50_000; i++) {
            large.claim(request("dead-" + i, true));
            time.advance(Duration.ofSeconds(1));
        }

        assertThat(large.size()).isLessThan(10_000);
    }

    @Test
    void expiredResultsGoThoughThereIsRoom() {
        MemoryIdempotencyStore large = new MemoryIdempotencyStore(time);
        StoredResult result = new StoredResult(StoredResult.Kind.VALUE, new byte[0]);
        for (int i = 0; i < 50_000; i++) {
            Claim.Acquired acquired = (Claim.Acquired) large.claim(request("id-" + i, true));
            large.complete(acquired.token(), result, Duration.ofSeconds(1));
            time.advance(Duration.ofMillis(1));
        }

        assertThat(large.size()).isLessThan(10_000);
    }

    @Test
    void theBytesAreRightUnderThreads() throws Exception {
        MemoryIdempotencyStore large = new MemoryIdempotencyStore(time);
        int threads = 4;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<Void>> workers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Random random = new Random(i);
                workers.add(() -> {
                    for (int call = 0; call < 20_000; call++) {
                        StoredResult result = new StoredResult(StoredResult.Kind.VALUE, new byte[random.nextInt(50)]);
                        if (large.claim(request("id-" + random.nextInt(200), true))
                                instanceof Claim.Acquired acquired) {
                            large.complete(acquired.token(), result, Duration.ofMillis(1 + random.nextInt(5)));
                        }
                        if (random.nextInt(20) == 0) {
                            time.advance(Duration.ofMillis(1));
                        }
                    }
                    return null;
                });
            }
            for (Future<Void> done : pool.invokeAll(workers)) {
                done.get();
            }
        } finally {
            pool.shutdownNow();
        }

        for (int i = 0; i < 200; i++) {
            if (large.claim(new ClaimRequest(key("id-" + i), "last", "", LEASE, TTL, true))
                    instanceof Claim.Acquired acquired) {
                large.release(acquired.token());
            }
        }
        time.advance(Duration.ofSeconds(1));
        for (int i = 0; i < 200; i++) {
            Claim.Acquired acquired =
                    (Claim.Acquired) large.claim(new ClaimRequest(key("id-" + i), "last", "", LEASE, TTL, true));
            large.release(acquired.token());
        }
        assertThat(large.bytes()).isZero();
    }
}
