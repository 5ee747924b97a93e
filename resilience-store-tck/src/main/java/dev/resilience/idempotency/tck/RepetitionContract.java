package dev.resilience.idempotency.tck;

import static dev.resilience.idempotency.tck.StoreClient.LONG;
import static dev.resilience.idempotency.tck.StoreClient.acquired;
import static dev.resilience.idempotency.tck.StoreClient.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.LeaseToken;
import org.junit.jupiter.api.Test;

/** The part of {@link IdempotencyStoreContract} about what is sent twice, because the first answer was lost. */
abstract class RepetitionContract extends OperatorContract {

    @Test
    void aClaimIsAcquiredAgainByItsOwner() {
        ClaimRequest request = client.request("key", LONG, false);
        LeaseToken first = acquired(store.claim(request), false);

        LeaseToken again = acquired(store.claim(request), false);

        assertThat(again.fence()).isGreaterThanOrEqualTo(first.fence());
        assertThat(client.claim("key")).isInstanceOf(Claim.InProgress.class);
        assertThat(store.renew(again, LONG)).isTrue();
        assertThat(store.release(again)).isTrue();
        client.acquire("key", LONG);
    }

    @Test
    void aClaimThatIsAcquiredAgainHasAWholeLease() throws Exception {
        ClaimRequest request = client.request("key", shortWhile(), false);
        acquired(store.claim(request), false);

        acquired(store.claim(StoreClient.withLease(request, LONG)), false);
        letPass(shortWhile());

        assertThat(client.claim("key")).isInstanceOf(Claim.InProgress.class);
    }

    @Test
    void anAbandonedClaimIsAcquiredAgainByItsOwnerAlone() throws Exception {
        ClaimRequest request = client.request("key", shortWhile(), false);
        acquired(store.claim(request), false);
        letPass(shortWhile());

        assertThat(client.claim("key")).isInstanceOf(Claim.Abandoned.class);
        LeaseToken again = acquired(store.claim(request), false);

        assertThat(store.complete(again, result("late"), LONG)).isTrue();
        client.assertCompleted("key", result("late"));
    }

    @Test
    void aClaimIsNotAcquiredAgainOnceAnotherOwnerHasTheKey() throws Exception {
        ClaimRequest request = client.request("key", shortWhile(), false);
        acquired(store.claim(request), false);
        letPass(shortWhile());
        LeaseToken other = client.takeOver("key");

        assertThat(store.claim(request)).isInstanceOf(Claim.InProgress.class);

        assertThat(store.release(other)).isTrue();
    }

    @Test
    void aClaimIsAnsweredWithTheResultOnceItIsCompleted() {
        ClaimRequest request = client.request("key", LONG, false);
        store.complete(acquired(store.claim(request), false), result("ok"), LONG);

        assertThat(store.claim(request)).isInstanceOf(Claim.Completed.class);
    }

    @Test
    void aResultThatIsStoredTwiceIsTheFirst() {
        LeaseToken owner = client.acquire("key", LONG);

        assertThat(store.complete(owner, result("first"), LONG)).isTrue();
        assertThat(store.complete(owner, result("second"), LONG)).isTrue();

        client.assertCompleted("key", result("first"));
    }

    @Test
    void aResultThatIsStoredTwiceIsForgottenAfterItsFirstTime() throws Exception {
        LeaseToken owner = client.acquire("key", LONG);
        store.complete(owner, result("first"), shortWhile());
        assertThat(store.complete(owner, result("second"), LONG)).isTrue();

        letPass(shortWhile());

        client.acquire("key", LONG);
        assertThat(store.complete(owner, result("third"), LONG)).isFalse();
    }
}
