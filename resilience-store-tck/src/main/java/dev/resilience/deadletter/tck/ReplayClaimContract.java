package dev.resilience.deadletter.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.ReplayClaim;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.deadletter.StoredLetter.State;
import dev.resilience.idempotency.tck.Race;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The part of {@link DeadLetterStoreContract} about replays: claims and their leases, fences, letters that were abandoned,
 * and races for them; and what the tests ask of a store, in short words.
 */
abstract class ReplayClaimContract {

    static final String POLICY = "orders";
    static final Duration LONG = Duration.ofHours(1);
    static final LetterFailure FAILURE = new LetterFailure("java.io.IOException", "connection refused");

    /** The store of the test that runs. */
    DeadLetterStore store;

    /** A store without letters. */
    protected abstract DeadLetterStore emptyStore() throws Exception;

    /** Lets the store's clock move on by a little more than this. */
    protected abstract void letPass(Duration duration) throws Exception;

    /** How long a short lease or wait is: longer than a few calls of the store take. */
    protected Duration shortWhile() {
        return Duration.ofSeconds(10);
    }

    @BeforeEach
    void setUp() throws Exception {
        store = emptyStore();
    }

    static DeadLetter letter(String id) {
        return letter(POLICY, id, "[\"A-1\",2]".getBytes(StandardCharsets.UTF_8));
    }

    static DeadLetter letter(String policy, String id, byte[] arguments) {
        return new DeadLetter(id, policy, "orderService", "com.acme.OrderService.place(int)", arguments, FAILURE, 3);
    }

    final void storeDue(String... ids) {
        for (String id : ids) {
            store.store(letter(id), Duration.ZERO);
        }
    }

    final ReplayClaim claim(String id, Duration lease) {
        ReplayClaim claim = store.claim(POLICY, id, lease);
        assertThat(claim).as(id).isNotNull();
        return Objects.requireNonNull(claim);
    }

    final StoredLetter find(String id) {
        StoredLetter found = store.find(POLICY, id);
        assertThat(found).as(id).isNotNull();
        return Objects.requireNonNull(found);
    }

    final State state(String id) {
        return find(id).state();
    }

    final @Nullable String idOfDue() {
        ReplayClaim claim = store.claimDue(POLICY, LONG);
        return claim == null ? null : claim.letter().id();
    }

    final void assertHasNoRights(ReplayClaim former) {
        assertThat(store.renew(former, LONG)).isFalse();
        assertThat(store.succeeded(former)).isFalse();
        assertThat(store.failed(former, FAILURE, LONG)).isFalse();
        assertThat(store.failed(former, FAILURE, null)).isFalse();
        assertThat(store.postpone(former, LONG)).isFalse();
    }

    /** How often a race is run; 100 times unless a subclass says otherwise. */
    protected int races() {
        return 100;
    }

    @Test
    void aClaimedLetterIsHadByNoOther() {
        storeDue("id");

        ReplayClaim claim = claim("id", LONG);

        assertThat(claim.replays()).isEqualTo(1);
        assertThat(state("id")).isEqualTo(State.REPLAYING);
        assertThat(find("id").replays()).isEqualTo(1);
        assertThat(store.claim(POLICY, "id", LONG)).isNull();
        assertThat(store.claimDue(POLICY, LONG)).isNull();
        assertThat(store.discard(POLICY, "id")).isFalse();
    }

    @Test
    void aRenewedLeaseLastsFromThenOn() throws Exception {
        storeDue("id");
        ReplayClaim claim = claim("id", shortWhile());
        assertThat(store.renew(claim, LONG)).isTrue();

        letPass(shortWhile());

        assertThat(state("id")).isEqualTo(State.REPLAYING);
        assertThat(idOfDue()).isNull();
        assertThat(store.succeeded(claim)).isTrue();
    }

    @Test
    void aLeaseIsMeasuredFromItsClaimAndNotFromWhenTheLetterWasStored() throws Exception {
        storeDue("id");
        letPass(LONG);

        claim("id", shortWhile());

        assertThat(state("id")).isEqualTo(State.REPLAYING);
    }

    @Test
    void anAbandonedLetterIsTakenOver() throws Exception {
        storeDue("due", "by hand");
        claim("due", shortWhile());
        claim("by hand", shortWhile());
        letPass(shortWhile());

        assertThat(state("due")).isEqualTo(State.ABANDONED);
        assertThat(claim("by hand", LONG).replays()).isEqualTo(2);
        assertThat(idOfDue()).isEqualTo("due");
        assertThat(idOfDue()).isNull();
    }

    @Test
    void aClaimWhoseLeaseRanOutKeepsItsRightsUntilTheNextClaim() throws Exception {
        storeDue("renewed", "succeeded", "failed", "postponed");
        ReplayClaim renewed = claim("renewed", shortWhile());
        ReplayClaim succeeded = claim("succeeded", shortWhile());
        ReplayClaim failed = claim("failed", shortWhile());
        ReplayClaim postponed = claim("postponed", shortWhile());
        letPass(shortWhile());

        assertThat(store.renew(renewed, LONG)).isTrue();
        assertThat(store.succeeded(succeeded)).isTrue();
        assertThat(store.failed(failed, FAILURE, LONG)).isTrue();
        assertThat(store.postpone(postponed, LONG)).isTrue();

        assertThat(state("renewed")).isEqualTo(State.REPLAYING);
        assertThat(state("failed")).isEqualTo(State.FAILED);
        assertThat(state("postponed")).isEqualTo(State.WAITING);
        assertThat(idOfDue()).isNull();
    }

    @Test
    void aReplacedClaimHasNoRightsAnyMore() throws Exception {
        storeDue("id");
        ReplayClaim former = claim("id", shortWhile());
        letPass(shortWhile());
        ReplayClaim current = claim("id", LONG);

        assertHasNoRights(former);
        assertThat(state("id")).isEqualTo(State.REPLAYING);
        assertThat(store.failed(current, FAILURE, LONG)).isTrue();
        assertHasNoRights(former);
        assertHasNoRights(current);
        assertThat(state("id")).isEqualTo(State.FAILED);
    }

    @Test
    void fencesGrowWithEveryClaim() throws Exception {
        List<Long> fences = new ArrayList<>();
        storeDue("id");
        ReplayClaim first = claim("id", shortWhile());
        fences.add(first.fence());
        letPass(shortWhile());
        ReplayClaim second = claim("id", LONG);
        fences.add(second.fence());
        store.postpone(second, LONG);
        ReplayClaim third = claim("id", LONG);
        fences.add(third.fence());
        store.failed(third, FAILURE, LONG);
        fences.add(claim("id", LONG).fence());

        assertThat(fences).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void ofConcurrentClaimsOneWins() throws Exception {
        for (int i = 0; i < races(); i++) {
            storeDue("race " + i);
        }

        Race.run(races(), id -> store.claim(POLICY, id, LONG) != null);
    }

    @Test
    void ofConcurrentClaimsOfWhatIsDueOneWins() throws Exception {
        for (int i = 0; i < races(); i++) {
            storeDue("race " + i);
        }

        List<String> claimed = IntStream.range(0, 2 * races())
                .parallel()
                .mapToObj(i -> store.claimDue(POLICY, LONG))
                .filter(Objects::nonNull)
                .map(claim -> claim.letter().id())
                .toList();

        assertThat(claimed).doesNotHaveDuplicates().hasSize(races());
    }

    @Test
    void aClaimAndADiscardDoNotBothWin() throws Exception {
        for (int i = 0; i < races(); i++) {
            storeDue("race " + i);
        }

        Race.run(
                races(),
                id -> Thread.currentThread().getId() % 2 == 0
                        ? store.claim(POLICY, id, LONG) != null
                        : store.discard(POLICY, id));
    }
}
