package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.IN_PROGRESS;
import static dev.resilience.event.IdempotencyOutcome.STORE_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.IdempotencyPolicy.OnAbandoned;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.pipeline.Environment;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The store has the claim, and its answer is lost: nothing runs, so that the key must not stay taken. */
class LostClaimTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final Store store = new Store();
    private final Idempotency idempotency = new Idempotency(
            "orders",
            IdempotencyPolicy.builder().onAbandoned(OnAbandoned.REJECT).build(),
            store,
            Environment.of(time));

    private Object call(String result) throws Throwable {
        Object answer = TestIdempotency.pipeline(idempotency, new TextOperation(TextOperation.NAME, ""))
                .invoke(TestIdempotency.invocation("key", "payload", () -> result));
        return answer == null ? "nothing" : answer;
    }

    private void callWhoseClaimIsLost() {
        store.losesAnswers = true;
        assertThatThrownBy(() -> call("first")).isInstanceOf(IdempotencyStoreException.class);
    }

    @Test
    void theKeyIsFreedByTheTimer() throws Throwable {
        callWhoseClaimIsLost();
        store.losesAnswers = false;
        time.advance(Duration.ofSeconds(1));

        assertThat(call("second")).isEqualTo("second");

        CountedOutcomes.assertCounted(idempotency, STORE_FAILURE, EXECUTED);
    }

    @Test
    void anotherCallIsRefusedUntilThen() {
        callWhoseClaimIsLost();
        store.losesAnswers = false;

        assertThatThrownBy(() -> call("second")).isInstanceOf(IdempotencyInProgressException.class);

        CountedOutcomes.assertCounted(idempotency, STORE_FAILURE, IN_PROGRESS);
    }

    @Test
    void theKeyIsFreedWhenTheStoreAnswersAgainThoughTheLeaseIsOver() throws Throwable {
        callWhoseClaimIsLost();
        time.advance(Duration.ofMinutes(1));
        store.losesAnswers = false;
        time.advance(Duration.ofMinutes(1));

        assertThat(call("second")).isEqualTo("second");
    }

    @Test
    void theKeyIsFreedThoughTheAnswerToTheReleaseIsLostOnce() throws Throwable {
        callWhoseClaimIsLost();
        store.losesAnswers = false;
        store.failsToRelease = true;
        time.advance(Duration.ofSeconds(1));
        store.failsToRelease = false;
        time.advance(Duration.ofSeconds(2));

        assertThat(call("second")).isEqualTo("second");
    }

    @Test
    void itIsTriedForTwoMinutes() {
        callWhoseClaimIsLost();

        time.advance(Duration.ofHours(1));

        assertThat(store.claims).isEqualTo(1 + 7);
    }

    @Test
    void itIsNotTriedWhenTheApplicationHasEnded() {
        callWhoseClaimIsLost();
        idempotency.close();

        time.advance(Duration.ofHours(1));

        assertThat(store.claims).isEqualTo(1);
    }

    /** Acquires again for an owner whose claim it has. */
    private final class Store extends ForwardingStore {

        private final Map<String, Claim> acquired = new HashMap<>();
        private boolean losesAnswers;
        private boolean failsToRelease;
        private int claims;

        Store() {
            super(new MemoryIdempotencyStore(time));
        }

        @Override
        public Claim claim(ClaimRequest request) {
            claims++;
            Claim mine = acquired.get(request.owner());
            Claim claim = mine == null ? super.claim(request) : mine;
            if (claim instanceof Claim.Acquired) {
                acquired.put(request.owner(), claim);
            }
            if (losesAnswers) {
                throw new IllegalStateException("no answer in time");
            }
            return claim;
        }

        @Override
        public boolean release(LeaseToken token) {
            if (failsToRelease) {
                throw new IllegalStateException("no answer in time");
            }
            return super.release(token);
        }
    }
}
