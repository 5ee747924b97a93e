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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The tests that every {@link DeadLetterStore} must pass. The tests of a store are a subclass that says how to get an empty
 * store and how to let the store's clock move on, as those of {@link
 * dev.resilience.idempotency.tck.IdempotencyStoreContract} do.
 */
public abstract class DeadLetterStoreContract {

    private static final String POLICY = "orders";
    private static final Duration LONG = Duration.ofHours(1);
    private static final LetterFailure FAILURE = new LetterFailure("java.io.IOException", "connection refused");

    private DeadLetterStore store;

    /** A store without letters. */
    protected abstract DeadLetterStore emptyStore() throws Exception;

    /** Lets the store's clock move on by a little more than this. */
    protected abstract void letPass(Duration duration) throws Exception;

    /** How long a short lease or wait is: longer than a few calls of the store take. */
    protected Duration shortWhile() {
        return Duration.ofSeconds(10);
    }

    /** How often a race is run; 100 times unless a subclass says otherwise. */
    protected int races() {
        return 100;
    }

    @BeforeEach
    void setUp() throws Exception {
        store = emptyStore();
    }

    private static DeadLetter letter(String id) {
        return letter(POLICY, id, "[\"A-1\",2]".getBytes(StandardCharsets.UTF_8));
    }

    private static DeadLetter letter(String policy, String id, byte[] arguments) {
        return new DeadLetter(id, policy, "orderService", "com.acme.OrderService.place(int)", arguments, FAILURE, 3);
    }

    private void storeDue(String... ids) {
        for (String id : ids) {
            store.store(letter(id), Duration.ZERO);
        }
    }

    private ReplayClaim claim(String id, Duration lease) {
        ReplayClaim claim = store.claim(POLICY, id, lease);
        assertThat(claim).as(id).isNotNull();
        return Objects.requireNonNull(claim);
    }

    private StoredLetter find(String id) {
        StoredLetter found = store.find(POLICY, id);
        assertThat(found).as(id).isNotNull();
        return Objects.requireNonNull(found);
    }

    private State state(String id) {
        return find(id).state();
    }

    private @Nullable String idOfDue() {
        ReplayClaim claim = store.claimDue(POLICY, LONG);
        return claim == null ? null : claim.letter().id();
    }

    private void assertHasNoRights(ReplayClaim former) {
        assertThat(store.renew(former, LONG)).isFalse();
        assertThat(store.succeeded(former)).isFalse();
        assertThat(store.failed(former, FAILURE, LONG)).isFalse();
        assertThat(store.failed(former, FAILURE, null)).isFalse();
        assertThat(store.postpone(former, LONG)).isFalse();
    }

    @Test
    void aLetterComesBackAsItWas() {
        byte[] random = new byte[256 * 1024];
        new Random(1).nextBytes(random);
        DeadLetter letter = new DeadLetter(
                "0f8fad5b-d9cb-469f-a165-70867728950e",
                "'Ord\u00e9rs' ; %_",
                "b".repeat(DeadLetter.MAX_TEXT),
                "o".repeat(DeadLetter.MAX_TEXT),
                random,
                new LetterFailure("t".repeat(LetterFailure.MAX_TYPE), "\ud83d\ude00 ".repeat(2_000)),
                7);

        store.store(letter, LONG);

        StoredLetter found = Objects.requireNonNull(store.find(letter.policy(), letter.id()));
        assertEqual(found.letter(), letter);
        assertThat(found.state()).isEqualTo(State.WAITING);
        assertThat(found.replays()).isZero();
        assertThat(found.replayFailure()).isNull();
        assertThat(Duration.between(found.storedAt(), found.dueAt()))
                .isBetween(LONG.minusMinutes(1), LONG.plusMinutes(1));
        ReplayClaim claim = Objects.requireNonNull(store.claim(letter.policy(), letter.id(), LONG));
        assertEqual(claim.letter(), letter);
    }

    /** Arrays are compared as a whole: their elements one by one, by reflection, take seconds. */
    private static void assertEqual(DeadLetter found, DeadLetter letter) {
        assertThat(found)
                .usingRecursiveComparison()
                .withEqualsForType(Arrays::equals, byte[].class)
                .isEqualTo(letter);
    }

    @Test
    void emptyArgumentsAndMessagesComeBack() {
        DeadLetter letter = new DeadLetter("id", POLICY, "b", "o", new byte[0], new LetterFailure("t", ""), 1);

        store.store(letter, LONG);

        assertEqual(find("id").letter(), letter);
    }

    @Test
    void aLetterThatIsStoredTwiceIsThereOnce() {
        storeDue("id");
        ReplayClaim claim = claim("id", LONG);

        storeDue("id");

        assertThat(store.sizes()).isEqualTo(Map.of(POLICY, 1L));
        assertThat(state("id")).isEqualTo(State.REPLAYING);
        assertThat(store.succeeded(claim)).isTrue();
    }

    @Test
    void lettersAreListedInTheOrderInWhichTheyWereStored() throws Exception {
        for (String id : List.of("c", "a", "b")) {
            storeDue(id);
            letPass(Duration.ofMillis(2));
        }
        store.store(letter("others", "d", new byte[0]), LONG);
        store.failed(claim("c", LONG), FAILURE, LONG);

        assertThat(store.list(POLICY, 10))
                .extracting(found -> found.letter().id())
                .containsExactly("c", "a", "b");
        assertThat(store.list(POLICY, 2))
                .extracting(found -> found.letter().id())
                .containsExactly("c", "a");
        assertThat(store.list("unknown", 10)).isEmpty();
        assertThat(store.sizes()).isEqualTo(Map.of(POLICY, 3L, "others", 1L));
    }

    @Test
    void aLetterIsFoundUnderItsPolicyAlone() {
        storeDue("id");

        for (String policy : List.of("Orders", "orders ", "others")) {
            assertThat(store.find(policy, "id")).isNull();
            assertThat(store.claim(policy, "id", LONG)).isNull();
            assertThat(store.claimDue(policy, LONG)).isNull();
            assertThat(store.discard(policy, "id")).isFalse();
        }
        assertThat(store.find(POLICY, "ID")).isNull();
        assertThat(state("id")).isEqualTo(State.WAITING);
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
    void aLetterThatWasReplayedIsGone() {
        storeDue("id");
        ReplayClaim claim = claim("id", LONG);

        assertThat(store.succeeded(claim)).isTrue();

        assertThat(store.find(POLICY, "id")).isNull();
        assertThat(store.sizes().getOrDefault(POLICY, 0L)).isZero();
        assertThat(store.claim(POLICY, "id", LONG)).isNull();
        assertHasNoRights(claim);
    }

    @Test
    void aLetterWhoseReplayFailedIsDueAfterItsWait() throws Exception {
        storeDue("id");
        LetterFailure failure = new LetterFailure("a.B", "again");

        assertThat(store.failed(claim("id", LONG), failure, shortWhile())).isTrue();

        assertThat(state("id")).isEqualTo(State.FAILED);
        assertThat(find("id").replayFailure()).isEqualTo(failure);
        assertThat(find("id").letter().failure()).isEqualTo(FAILURE);
        assertThat(idOfDue()).isNull();
        letPass(shortWhile());
        assertThat(idOfDue()).isEqualTo("id");
        assertThat(find("id").replays()).isEqualTo(2);
    }

    @Test
    void aLetterThatIsGivenUpIsNeverDueButCanBeClaimed() throws Exception {
        storeDue("id");
        assertThat(store.failed(claim("id", LONG), FAILURE, null)).isTrue();
        letPass(LONG);

        assertThat(state("id")).isEqualTo(State.GIVEN_UP);
        assertThat(find("id").dueAt()).isNull();
        assertThat(idOfDue()).isNull();

        claim("id", shortWhile());
        letPass(shortWhile());
        assertThat(state("id")).isEqualTo(State.ABANDONED);
        assertThat(idOfDue()).as("given up, and then abandoned by its operator").isNull();
        assertThat(store.failed(claim("id", LONG), FAILURE, Duration.ZERO)).isTrue();
        assertThat(idOfDue()).isEqualTo("id");
    }

    @Test
    void aLetterIsDueWhenItsWaitIsOverAndNotBefore() throws Exception {
        store.store(letter("id"), shortWhile());
        assertThat(idOfDue()).isNull();

        letPass(shortWhile());

        assertThat(idOfDue()).isEqualTo("id");
    }

    @Test
    void theLetterThatHasBeenDueForTheLongestTimeComesFirst() throws Exception {
        storeDue("first");
        letPass(Duration.ofMillis(2));
        storeDue("second");
        letPass(Duration.ofMillis(2));
        store.failed(claim("first", LONG), FAILURE, Duration.ZERO);
        letPass(Duration.ofMillis(2));

        assertThat(idOfDue()).isEqualTo("second");
        assertThat(idOfDue()).isEqualTo("first");
        assertThat(idOfDue()).isNull();
    }

    @Test
    void aPostponedReplayIsNotCounted() throws Exception {
        storeDue("waiting", "failed", "given up");
        store.failed(claim("failed", LONG), FAILURE, LONG);
        store.failed(claim("given up", LONG), FAILURE, null);

        for (String id : List.of("waiting", "failed", "given up")) {
            int before = find(id).replays();
            assertThat(store.postpone(claim(id, LONG), shortWhile())).isTrue();
            assertThat(find(id).replays()).isEqualTo(before);
        }

        assertThat(state("waiting")).isEqualTo(State.WAITING);
        assertThat(state("failed")).isEqualTo(State.FAILED);
        assertThat(state("given up")).isEqualTo(State.GIVEN_UP);
        assertThat(idOfDue()).isNull();
        letPass(shortWhile());
        assertThat(List.of(String.valueOf(idOfDue()), String.valueOf(idOfDue())))
                .containsExactlyInAnyOrder("waiting", "failed");
        assertThat(idOfDue()).isNull();
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
    void aDiscardedLetterIsGoneAlsoIfItWasAbandonedOrGivenUp() throws Exception {
        storeDue("waiting", "failed", "given up", "abandoned");
        store.failed(claim("failed", LONG), FAILURE, LONG);
        store.failed(claim("given up", LONG), FAILURE, null);
        ReplayClaim abandoned = claim("abandoned", shortWhile());
        letPass(shortWhile());

        for (String id : List.of("waiting", "failed", "given up", "abandoned")) {
            assertThat(store.discard(POLICY, id)).as(id).isTrue();
            assertThat(store.discard(POLICY, id)).as(id).isFalse();
        }

        assertHasNoRights(abandoned);
        assertThat(store.list(POLICY, 10)).isEmpty();
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
