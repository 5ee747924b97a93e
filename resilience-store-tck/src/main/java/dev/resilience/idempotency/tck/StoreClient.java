package dev.resilience.idempotency.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.StoredResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Short words for what a call asks of a store. */
final class StoreClient {

    /** Longer than any test. */
    static final Duration LONG = Duration.ofHours(1);

    static final String OPERATION = "operation";

    private final AtomicInteger owners = new AtomicInteger();
    private final IdempotencyStore store;

    StoreClient(IdempotencyStore store) {
        this.store = store;
    }

    ClaimRequest request(String key, Duration lease, boolean takeOver) {
        return request(key, lease, takeOver, "1".repeat(64));
    }

    ClaimRequest withOtherArguments(String key, boolean takeOver) {
        return request(key, LONG, takeOver, "2".repeat(64));
    }

    ClaimRequest withArguments(String key, String fingerprint) {
        return request(key, LONG, false, fingerprint);
    }

    private ClaimRequest request(String key, Duration lease, boolean takeOver, String fingerprint) {
        return new ClaimRequest(key(key), "owner-" + owners.incrementAndGet(), fingerprint, lease, LONG, takeOver);
    }

    /** Of the same owner. */
    static ClaimRequest withLease(ClaimRequest request, Duration lease) {
        return new ClaimRequest(
                request.key(), request.owner(), request.fingerprint(), lease, request.ttl(), request.takeOver());
    }

    RecordKey key(String key) {
        return RecordKey.of(OPERATION, "caller", key);
    }

    void complete(RecordKey key) {
        Claim claim = store.claim(new ClaimRequest(key, "owner-" + owners.incrementAndGet(), "", LONG, LONG, false));
        assertThat(store.complete(acquired(claim, false), result("ok"), LONG)).isTrue();
    }

    Claim claim(String key) {
        return store.claim(request(key, LONG, false));
    }

    LeaseToken acquire(String key, Duration lease) {
        return acquired(store.claim(request(key, lease, false)), false);
    }

    LeaseToken takeOver(String key) {
        return acquired(store.claim(request(key, LONG, true)), true);
    }

    static LeaseToken acquired(Claim claim, boolean takenOver) {
        assertThat(claim).isInstanceOf(Claim.Acquired.class);
        assertThat(((Claim.Acquired) claim).takenOver()).isEqualTo(takenOver);
        return ((Claim.Acquired) claim).token();
    }

    static StoredResult result(String content) {
        return new StoredResult(StoredResult.Kind.VALUE, content.getBytes(StandardCharsets.UTF_8));
    }

    void assertCompleted(String key, StoredResult expected) {
        assertThat(claim(key)).isInstanceOfSatisfying(Claim.Completed.class, completed -> {
            assertThat(completed.result().kind()).isEqualTo(expected.kind());
            assertThat(completed.result().content()).isEqualTo(expected.content());
        });
    }
}
