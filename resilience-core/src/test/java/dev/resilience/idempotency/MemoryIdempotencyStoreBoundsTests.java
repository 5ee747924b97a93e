package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.CapturedLog;
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

    private final ManualTimeSource time = new ManualTimeSource();
    private final MemoryIdempotencyStore store = new MemoryIdempotencyStore(time, 10);

    private static RecordKey key(String key) {
        return RecordKey.of("operation", "", key);
    }

    private Claim claim(String id) {
        return store.claim(new ClaimRequest(key(id), "owner", "", LEASE, TTL, true));
    }

    private Ownership acquire(String id) {
        return ((Claim.Acquired) claim(id)).ownership();
    }

    private void complete(Ownership ownership, Duration ttl) {
        assertThat(store.complete(ownership, new StoredResult(StoredResult.Kind.VALUE, new byte[0]), ttl))
                .isTrue();
    }

    @Test
    void theOldestResultsGoFirst() {
        for (int i = 0; i < 100; i++) {
            complete(acquire("id-" + i), TTL);
            assertThat(store.size()).isLessThanOrEqualTo(10);
        }

        assertThat(claim("id-99")).isInstanceOf(Claim.Completed.class);
        assertThat(claim("id-92")).isInstanceOf(Claim.Completed.class);
        assertThat(claim("id-89")).isInstanceOf(Claim.Acquired.class);
    }

    @Test
    void theLogTellsOnceThatResultsGo() {
        try (CapturedLog log = CapturedLog.of(MemoryIdempotencyStore.class)) {
            for (int i = 0; i < 100; i++) {
                complete(acquire("id-" + i), TTL);
            }

            assertThat(CapturedLog.pairsOf(log.single()))
                    .containsEntry("event", "idempotency_results_dropped")
                    .containsEntry("maxResults", 10);
        }
    }

    @Test
    void recordsInProgressNeverGo() {
        List<Ownership> running = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            running.add(acquire("running-" + i));
        }
        for (int i = 0; i < 50; i++) {
            complete(acquire("done-" + i), TTL);
        }

        assertThat(store.size()).isEqualTo(60);
        assertThat(running)
                .allSatisfy(
                        ownership -> assertThat(store.renew(ownership, LEASE)).isTrue());
    }

    @Test
    void abandonedRecordsThatMustNotBeTakenOverNeverGo() {
        store.claim(new ClaimRequest(key("dead"), "owner", "", LEASE, TTL, false));
        time.advance(Duration.ofDays(365));
        for (int i = 0; i < 2_000; i++) {
            complete(acquire("done-" + i), TTL);
        }

        assertThat(store.claim(new ClaimRequest(key("dead"), "other", "", LEASE, TTL, false)))
                .isInstanceOf(Claim.Abandoned.class);
    }

    @Test
    void abandonedRecordsThatMayBeTakenOverGoInTime() {
        for (int i = 0; i < 3_000; i++) {
            acquire("dead-" + i);
        }
        time.advance(Duration.ofDays(1));

        for (int i = 0; i < 11; i++) {
            complete(acquire("done-" + i), TTL);
        }

        assertThat(store.size()).isLessThanOrEqualTo(10);
    }

    @Test
    void abandonedRecordsThatMayBeTakenOverGoThoughNoResultComes() {
        for (int i = 0; i < 50_000; i++) {
            acquire("dead-" + i);
            time.advance(Duration.ofSeconds(1));
        }

        assertThat(store.size()).isLessThan(10_000);
    }

    @Test
    void expiredResultsGoThoughThereIsRoom() {
        MemoryIdempotencyStore large = new MemoryIdempotencyStore(time);
        StoredResult result = new StoredResult(StoredResult.Kind.VALUE, new byte[0]);
        for (int i = 0; i < 50_000; i++) {
            ClaimRequest request = new ClaimRequest(key("id-" + i), "owner", "", LEASE, TTL, true);
            Claim.Acquired acquired = (Claim.Acquired) large.claim(request);
            large.complete(acquired.ownership(), result, Duration.ofSeconds(1));
            time.advance(Duration.ofMillis(1));
        }

        assertThat(large.size()).isLessThan(10_000);
    }

    @Test
    void aResultThatReplacedAnExpiredOneIsNotDroppedInItsPlace() {
        complete(acquire("id"), Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(1));
        complete(acquire("id"), TTL);
        for (int i = 0; i < 9; i++) {
            complete(acquire("other-" + i), TTL);
        }

        assertThat(claim("id")).isInstanceOf(Claim.Completed.class);
    }

    @Test
    void theBoundHoldsUnderThreads() throws Exception {
        int threads = 4;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<Void>> workers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Random random = new Random(i);
                String prefix = i + "-";
                workers.add(() -> {
                    for (int call = 0; call < 20_000; call++) {
                        if (claim(prefix + random.nextInt(50)) instanceof Claim.Acquired acquired) {
                            complete(acquired.ownership(), Duration.ofMillis(1 + random.nextInt(5)));
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

        complete(acquire("last"), TTL);
        assertThat(store.size()).isLessThanOrEqualTo(10);
    }
}
