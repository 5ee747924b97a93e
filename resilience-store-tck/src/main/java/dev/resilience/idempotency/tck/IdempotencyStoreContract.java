package dev.resilience.idempotency.tck;

import static dev.resilience.idempotency.tck.StoreClient.LONG;
import static dev.resilience.idempotency.tck.StoreClient.acquired;
import static dev.resilience.idempotency.tck.StoreClient.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.StoredResult;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The tests that every {@link IdempotencyStore} must pass. The tests of a store are a subclass that says how to get an
 * empty store and how to let the store's clock move on:
 *
 * <pre>{@code
 * class MongoStoreTests extends IdempotencyStoreContract {
 *
 *     @Override
 *     protected IdempotencyStore emptyStore() {
 *         collection.deleteMany(new Document());
 *         return new MongoStore(collection);
 *     }
 *
 *     @Override
 *     protected Duration shortWhile() {
 *         return Duration.ofMillis(100);
 *     }
 *
 *     @Override
 *     protected void letPass(Duration duration) throws InterruptedException {
 *         Thread.sleep(duration.plusMillis(10).toMillis());
 *     }
 * }
 * }</pre>
 *
 * <p>The tests cover claims, leases, fences, results, take-overs, what is sent twice, races between four threads, and what
 * operators do with records. They do not cover {@link IdempotencyStore#prepare()}, {@link IdempotencyStore#currentTransaction()} and
 * failures of the store, which differ from store to store.
 */
public abstract class IdempotencyStoreContract extends LeaseContract {

    @Test
    void aFreeKeyIsAcquired() {
        ClaimRequest request = client.request("key", LONG, false);

        LeaseToken token = acquired(store.claim(request), false);

        assertThat(token.key()).isEqualTo(request.key());
        assertThat(token.owner()).isEqualTo(request.owner());
    }

    @Test
    void aKeyInProgressIsNotHadByAnybodyElse() {
        client.acquire("key", LONG);

        for (boolean takeOver : new boolean[] {false, true}) {
            Claim claim = store.claim(client.request("key", LONG, takeOver));
            assertThat(claim).isInstanceOf(Claim.InProgress.class);
            assertThat(((Claim.InProgress) claim).leaseLeft()).isBetween(LONG.minusMinutes(1), LONG.plusSeconds(1));
        }
    }

    @Test
    void keysDoNotTouchEachOther() {
        LeaseToken one = client.acquire("one", LONG);
        LeaseToken two = client.acquire("two", LONG);

        assertThat(store.complete(one, result("one"), LONG)).isTrue();
        assertThat(store.release(two)).isTrue();

        client.assertCompleted("one", result("one"));
        client.acquire("two", LONG);
    }

    @Test
    void keysThatLookAlikeAreDifferentKeys() {
        String longest = "x".repeat(254);
        List<String> keys = List.of(
                "key",
                "Key",
                "key ",
                " key",
                "k\u00e9y",
                "ke\u0301y",
                "\uff4bey",
                "?",
                "\ud83d",
                "\ud83d\ude00",
                "'",
                "''",
                "\"",
                "\\",
                "{",
                "{}",
                "{key}",
                "%",
                "k_y",
                "*",
                "[k]ey",
                ":key",
                "; DROP TABLE key",
                longest,
                longest + "x",
                longest + "y",
                "\ud83d\ude00".repeat(127),
                "\ud83d\ude00".repeat(127) + "'");
        for (String key : keys) {
            store.complete(client.acquire(key, LONG), result(key), LONG);
        }

        for (String key : keys) {
            client.assertCompleted(key, result(key));
            assertThat(store.delete(selection(key))).isEqualTo(1);
        }
    }

    @Test
    void aResultComesBackAsItWas() {
        byte[] random = new byte[256 * 1024];
        new Random(1).nextBytes(random);
        byte[][] contents = {{}, {0}, "null".getBytes(StandardCharsets.UTF_8), {-1, 0, 10, 39, 92}, random};
        for (int i = 0; i < contents.length; i++) {
            for (StoredResult.Kind kind : StoredResult.Kind.values()) {
                String key = kind + " " + i;
                StoredResult result = new StoredResult(kind, contents[i]);
                store.complete(client.acquire(key, LONG), result, LONG);

                client.assertCompleted(key, result);
                client.assertCompleted(key, result);
            }
        }
    }

    @Test
    void aResultIsForgottenAfterItsTime() throws Exception {
        store.complete(client.acquire("short", LONG), result("short"), shortWhile());
        store.complete(client.acquire("long", LONG), result("long"), LONG);

        letPass(shortWhile());

        client.acquire("short", LONG);
        client.assertCompleted("long", result("long"));
    }

    @Test
    void aReleasedKeyIsFree() {
        LeaseToken first = client.acquire("key", LONG);

        assertThat(store.release(first)).isTrue();

        client.acquire("key", LONG);
    }

    @Test
    void argumentsThatAnotherVersionOfTheLibraryWroteAreNotCompared() {
        String rest = "1".repeat(62);
        Claim claim = store.claim(client.withArguments("key", "8:" + rest));
        assertThat(store.complete(acquired(claim, false), result("ok"), LONG)).isTrue();

        assertThat(store.claim(client.withArguments("key", "8:" + "2".repeat(62))))
                .isEqualTo(new Claim.KeyReused());
        for (String other : List.of("8:" + rest, "9:" + rest, "1".repeat(64))) {
            assertThat(store.claim(client.withArguments("key", other))).isInstanceOf(Claim.Completed.class);
        }
    }

    @Test
    void otherArgumentsAreSeenBeforeAnythingElse() throws Exception {
        client.acquire("running", LONG);
        client.acquire("abandoned", shortWhile());
        store.complete(client.acquire("completed", LONG), result("ok"), LONG);
        letPass(shortWhile());

        for (String key : List.of("running", "abandoned", "completed")) {
            assertThat(store.claim(client.withOtherArguments(key, false))).isEqualTo(new Claim.KeyReused());
            assertThat(store.claim(client.withOtherArguments(key, true))).isEqualTo(new Claim.KeyReused());
        }
        assertThat(client.claim("running")).isInstanceOf(Claim.InProgress.class);
        assertThat(client.claim("abandoned")).isInstanceOf(Claim.Abandoned.class);
        client.assertCompleted("completed", result("ok"));
    }

    @Test
    void otherArgumentsAreWelcomeOnceTheResultIsForgottenOrTheKeyReleased() throws Exception {
        store.complete(client.acquire("forgotten", LONG), result("ok"), shortWhile());
        store.release(client.acquire("released", LONG));
        letPass(shortWhile());

        acquired(store.claim(client.withOtherArguments("forgotten", false)), false);
        acquired(store.claim(client.withOtherArguments("released", false)), false);
    }

    @Test
    void argumentsThatAreNotComparedAreEqualToAnyOthers() {
        ClaimRequest comparing = client.request("key", LONG, false);
        ClaimRequest careless = new ClaimRequest(comparing.key(), "careless", "", LONG, LONG, false);

        LeaseToken owner = acquired(store.claim(careless), false);
        assertThat(store.claim(comparing)).isInstanceOf(Claim.InProgress.class);
        store.release(owner);
        acquired(store.claim(comparing), false);
        assertThat(store.claim(careless)).isInstanceOf(Claim.InProgress.class);
    }
}
