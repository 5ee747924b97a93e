package dev.resilience.spring.idempotency.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.StoredResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;

/** Short words for claims of keys of one method. */
final class Claims {

    static final Duration LONG = Duration.ofHours(1);
    static final Duration SHORT = Duration.ofMillis(80);

    private Claims() {}

    static RecordKey key(String key) {
        return RecordKey.of("operation", "caller", key);
    }

    static ClaimRequest request(String key, Duration lease, boolean takeOver) {
        return new ClaimRequest(key(key), UUID.randomUUID().toString(), "fingerprint", lease, LONG, takeOver);
    }

    static LeaseToken acquire(IdempotencyStore store, String key) {
        return acquire(store, request(key, LONG, false));
    }

    static LeaseToken acquire(IdempotencyStore store, ClaimRequest request) {
        Claim claim = store.claim(request);
        assertThat(claim).isInstanceOf(Claim.Acquired.class);
        return ((Claim.Acquired) claim).token();
    }

    static StoredResult result(String content) {
        return new StoredResult(StoredResult.Kind.VALUE, content.getBytes(StandardCharsets.UTF_8));
    }

    static void assertCompleted(IdempotencyStore store, String key, StoredResult expected) {
        assertThat(store.claim(request(key, LONG, false))).isInstanceOfSatisfying(Claim.Completed.class, completed -> {
            assertThat(completed.result().kind()).isEqualTo(expected.kind());
            assertThat(completed.result().content()).isEqualTo(expected.content());
        });
    }
}
