package dev.resilience.idempotency.tck;

import static dev.resilience.idempotency.tck.StoreClient.LONG;
import static dev.resilience.idempotency.tck.StoreClient.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.LeaseToken;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** The part of {@link IdempotencyStoreContract} about owners: leases, take-overs, fences, and races for them. */
abstract class LeaseContract extends RepetitionContract {

    /** How often a race is run; 200 times unless a subclass says otherwise. */
    protected int races() {
        return 200;
    }

    @Test
    void aRenewedLeaseLastsFromThenOn() throws Exception {
        LeaseToken owner = client.acquire("key", shortWhile());
        assertThat(store.renew(owner, LONG)).isTrue();

        letPass(shortWhile());

        assertThat(client.claim("key")).isInstanceOf(Claim.InProgress.class);
    }

    @Test
    void anAbandonedKeyIsTakenOverOnlyIfAskedFor() throws Exception {
        client.acquire("key", shortWhile());
        letPass(shortWhile());

        assertThat(client.claim("key")).isInstanceOf(Claim.Abandoned.class);
        assertThat(client.claim("key")).isInstanceOf(Claim.Abandoned.class);
        client.takeOver("key");
        assertThat(client.claim("key")).isInstanceOf(Claim.InProgress.class);
    }

    @Test
    void anOwnerWhoseLeaseRanOutKeepsItsRightsUntilSomebodyTakesOver() throws Exception {
        LeaseToken completing = client.acquire("completing", shortWhile());
        LeaseToken renewing = client.acquire("renewing", shortWhile());
        LeaseToken releasing = client.acquire("releasing", shortWhile());
        letPass(shortWhile());

        assertThat(store.complete(completing, result("late"), LONG)).isTrue();
        assertThat(store.renew(renewing, LONG)).isTrue();
        assertThat(store.release(releasing)).isTrue();

        client.assertCompleted("completing", result("late"));
        assertThat(client.claim("renewing")).isInstanceOf(Claim.InProgress.class);
        client.acquire("releasing", LONG);
    }

    @Test
    void anOwnerThatWasReplacedHasNoRightsAnyMore() throws Exception {
        LeaseToken old = client.acquire("key", shortWhile());
        letPass(shortWhile());
        LeaseToken current = client.takeOver("key");

        assertHasNoRights(old);
        assertThat(client.claim("key")).isInstanceOf(Claim.InProgress.class);
        assertThat(store.complete(current, result("new"), LONG)).isTrue();
        assertHasNoRights(old);
        client.assertCompleted("key", result("new"));
    }

    @Test
    void anOwnerThatHasEndedHasNoRightsAnyMore() {
        LeaseToken completed = client.acquire("completed", LONG);
        store.complete(completed, result("ok"), LONG);
        LeaseToken released = client.acquire("released", LONG);
        store.release(released);

        assertThat(store.renew(completed, LONG)).isFalse();
        assertThat(store.release(completed)).isFalse();
        assertHasNoRights(released);
        client.assertCompleted("completed", result("ok"));
        LeaseToken next = client.acquire("released", LONG);
        assertHasNoRights(released);
        assertThat(store.release(next)).isTrue();
    }

    @Test
    void fencesGrowWithEveryClaim() throws Exception {
        List<Long> fences = new ArrayList<>();
        LeaseToken released = client.acquire("key", LONG);
        fences.add(released.fence());
        store.release(released);
        fences.add(client.acquire("key", shortWhile()).fence());
        letPass(shortWhile());
        LeaseToken completed = client.takeOver("key");
        fences.add(completed.fence());
        store.complete(completed, result("ok"), shortWhile());
        letPass(shortWhile());
        fences.add(client.acquire("key", LONG).fence());

        assertThat(fences).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void ofConcurrentClaimsOneWins() throws Exception {
        Race.run(races(), key -> client.claim(key) instanceof Claim.Acquired);
    }

    @Test
    void ofConcurrentTakeOversOneWins() throws Exception {
        abandonOneForEachRace();

        Race.run(races(), key -> store.claim(client.request(key, LONG, true)) instanceof Claim.Acquired);
    }

    @Test
    void aLateResultAndATakeOverDoNotBothWin() throws Exception {
        Map<String, LeaseToken> late = abandonOneForEachRace();

        Race.run(races(), key -> {
            LeaseToken former = late.remove(key);
            return former == null
                    ? store.claim(client.request(key, LONG, true)) instanceof Claim.Acquired
                    : store.complete(former, result("late"), LONG);
        });
    }

    private Map<String, LeaseToken> abandonOneForEachRace() throws Exception {
        Map<String, LeaseToken> abandoned = new ConcurrentHashMap<>();
        for (int i = 0; i < races(); i++) {
            abandoned.put("race " + i, client.acquire("race " + i, shortWhile()));
        }
        letPass(shortWhile());
        return abandoned;
    }
}
