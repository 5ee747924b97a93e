package dev.resilience.deadletter.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.ReplayClaim;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.deadletter.StoredLetter.State;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The tests that every {@link DeadLetterStore} must pass. The tests of a store are a subclass that says how to get an empty
 * store and how to let the store's clock move on, as those of {@link
 * dev.resilience.idempotency.tck.IdempotencyStoreContract} do.
 */
public abstract class DeadLetterStoreContract extends ReplayClaimContract {

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
    void anAbandonedLetterStaysSoIfItsNextReplayIsPostponedWhateverItWasBefore() throws Exception {
        storeDue("waiting", "failed", "given up");
        store.failed(claim("failed", LONG), FAILURE, LONG);
        store.failed(claim("given up", LONG), FAILURE, null);

        for (String id : List.of("waiting", "failed", "given up")) {
            claim(id, shortWhile());
            letPass(shortWhile());
            assertThat(state(id)).as(id).isEqualTo(State.ABANDONED);
            assertThat(find(id).replayFailure()).as(id).isNull();
            for (int i = 0; i < 2; i++) {
                assertThat(store.postpone(claim(id, LONG), shortWhile())).isTrue();
                assertThat(state(id)).as(id).isEqualTo(State.ABANDONED);
            }
            assertThat(store.failed(claim(id, LONG), FAILURE, LONG)).isTrue();
            assertThat(state(id)).as(id).isEqualTo(State.FAILED);
            assertThat(find(id).replayFailure()).isEqualTo(FAILURE);
        }
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
}
