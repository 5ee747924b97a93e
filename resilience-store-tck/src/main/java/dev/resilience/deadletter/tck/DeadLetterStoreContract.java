package dev.resilience.deadletter.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

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
import java.util.function.Function;
import java.util.stream.IntStream;
import org.assertj.core.api.recursive.comparison.RecursiveComparisonConfiguration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The tests that every {@link DeadLetterStore} must pass. The tests of a store are a subclass that says how to get an empty
 * store and how to let the store's clock move on, as those of {@link
 * dev.resilience.idempotency.tck.IdempotencyStoreContract} do.
 */
public abstract class DeadLetterStoreContract {

    private static final String POLICY = "orders";
    private static final Duration LONG = Duration.ofHours(1);
    private static final LetterFailure FAILURE = new LetterFailure("java.io.IOException", "connection refused");
    /** Arrays are compared as a whole: their elements one by one, by reflection, take seconds. */
    private static final RecursiveComparisonConfiguration BY_FIELDS = RecursiveComparisonConfiguration.builder()
            .withEqualsForType(Arrays::equals, byte[].class)
            .build();

    private static final LetterFailure AGAIN = new LetterFailure("a.B", "again");

    /**
     * What is found of a letter, as its state and its replays, and what is found after an operation; {@code -} for one that is
     * refused and changes nothing. Who renews and ends a replay is the first claim, except in the row of a claim by hand.
     */
    private static final String CASES = """
            letter        | found       | claim       | claim due   | discard | renew       | succeed | fail     | give up    | postpone
            waiting       | WAITING 0   | REPLAYING 1 | -           | gone    | -           | -       | -        | -          | -
            due           | WAITING 0   | REPLAYING 1 | REPLAYING 1 | gone    | -           | -       | -        | -          | -
            replaying     | REPLAYING 1 | -           | -           | -       | REPLAYING 1 | gone    | FAILED 1 | GIVEN_UP 1 | WAITING 0
            abandoned     | ABANDONED 1 | REPLAYING 2 | REPLAYING 2 | gone    | REPLAYING 1 | gone    | FAILED 1 | GIVEN_UP 1 | WAITING 0
            taken over    | REPLAYING 2 | -           | -           | -       | -           | -       | -        | -          | -
            failed        | FAILED 1    | REPLAYING 2 | -           | gone    | -           | -       | -        | -          | -
            due again     | FAILED 1    | REPLAYING 2 | REPLAYING 2 | gone    | -           | -       | -        | -          | -
            given up      | GIVEN_UP 1  | REPLAYING 2 | -           | gone    | -           | -       | -        | -          | -
            by hand       | REPLAYING 2 | -           | -           | -       | REPLAYING 2 | gone    | FAILED 2 | GIVEN_UP 2 | FAILED 1
            postponed     | WAITING 0   | REPLAYING 1 | -           | gone    | -           | -       | -        | -          | -
            for ever      | GIVEN_UP 1  | REPLAYING 2 | -           | gone    | -           | -       | -        | -          | -
            replayed      | gone        | -           | -           | -       | -           | -       | -        | -          | -
            discarded     | gone        | -           | -           | -       | -           | -       | -        | -          | -
            """;

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
    final void setUp() throws Exception {
        store = emptyStore();
    }

    @TestFactory
    final List<DynamicTest> everyOperationOnEveryLetter() {
        List<String[]> rows = CASES.lines().map(row -> row.split("\\s*\\|\\s*")).toList();
        List<DynamicTest> tests = new ArrayList<>();
        for (String[] row : rows.subList(1, rows.size())) {
            for (int i = 2; i < row.length; i++) {
                String operation = rows.get(0)[i];
                String expected = row[i].strip();
                String name = row[0] + ": " + operation; // of the test, its policy and the only letter of that
                tests.add(dynamicTest(name, () -> {
                    ReplayClaim claim = bring(name, row[0]);
                    assertThat(found(name)).isEqualTo(row[1]);

                    assertThat(does(operation, name, claim)).isEqualTo(!expected.equals("-"));

                    assertThat(found(name)).isEqualTo(expected.equals("-") ? row[1] : expected);
                }));
            }
        }
        return tests;
    }

    /** Stores a letter and does what brings it where a row begins. */
    private ReplayClaim bring(String name, String where) throws Exception {
        store.store(letter(name, name), where.equals("waiting") ? LONG : Duration.ZERO);
        if (where.equals("waiting") || where.equals("due")) {
            return new ReplayClaim(letter(name, name), 1, 0);
        }
        boolean dies = where.equals("abandoned") || where.equals("taken over");
        ReplayClaim claim = claim(name, name, dies ? shortWhile() : LONG);
        switch (where) {
            case "abandoned", "taken over" -> letPass(shortWhile());
            case "failed" -> store.failed(claim, AGAIN, LONG);
            case "due again" -> store.failed(claim, AGAIN, Duration.ZERO);
            case "given up", "by hand", "for ever" -> store.failed(claim, AGAIN, null);
            case "postponed" -> store.postpone(claim, LONG);
            case "replayed" -> store.succeeded(claim);
            default -> {}
        }
        switch (where) {
            case "taken over" -> claim(name, name, LONG);
            case "by hand" -> claim = claim(name, name, LONG);
            case "for ever" -> store.postpone(claim(name, name, LONG), null);
            case "discarded" -> {
                store.failed(claim, AGAIN, LONG);
                store.discard(name, name);
            }
            default -> {}
        }
        return claim;
    }

    private boolean does(String operation, String name, ReplayClaim claim) {
        return switch (operation) {
            case "claim" -> store.claim(name, name, LONG) != null;
            case "claim due" -> store.claimDue(name, LONG) != null;
            case "discard" -> store.discard(name, name);
            case "renew" -> store.renew(claim, LONG);
            case "succeed" -> store.succeeded(claim);
            case "fail" -> store.failed(claim, AGAIN, LONG);
            case "give up" -> store.failed(claim, AGAIN, null);
            case "postpone" -> store.postpone(claim, LONG);
            default -> throw new IllegalArgumentException(operation);
        };
    }

    private String found(String name) {
        StoredLetter found = store.find(name, name);
        return found == null ? "gone" : found.state() + " " + found.replays();
    }

    private static DeadLetter letter(String policy, String id) {
        byte[] arguments = "[\"A-1\",2]".getBytes(StandardCharsets.UTF_8);
        return new DeadLetter(id, policy, "orderService", "com.acme.OrderService.place(int)", arguments, FAILURE, 3);
    }

    private void storeDue(String... ids) throws Exception {
        for (String id : ids) {
            store.store(letter(POLICY, id), Duration.ZERO);
            letPass(Duration.ofMillis(2));
        }
    }

    private ReplayClaim claim(String policy, String id, Duration lease) {
        return Objects.requireNonNull(store.claim(policy, id, lease), id);
    }

    private StoredLetter find(String policy, String id) {
        return Objects.requireNonNull(store.find(policy, id), id);
    }

    private @Nullable String idOfDue() {
        ReplayClaim claim = store.claimDue(POLICY, LONG);
        return claim == null ? null : claim.letter().id();
    }

    @Test
    final void aLetterComesBackAsItWas() {
        byte[] random = new byte[256 * 1024];
        new Random(1).nextBytes(random);
        DeadLetter large = new DeadLetter(
                "0f8fad5b-d9cb-469f-a165-70867728950e",
                "'Ord\u00e9rs' ; %_",
                "b".repeat(DeadLetter.MAX_TEXT),
                "o".repeat(DeadLetter.MAX_TEXT),
                random,
                new LetterFailure("t".repeat(LetterFailure.MAX_TYPE), "\ud83d\ude00 ".repeat(2_000)),
                7);
        DeadLetter empty = new DeadLetter("id", POLICY, "b", "o", new byte[0], new LetterFailure("t", ""), 1);
        for (DeadLetter letter : List.of(large, empty)) {
            store.store(letter, LONG);

            StoredLetter found = find(letter.policy(), letter.id());
            assertThat(Duration.between(found.storedAt(), found.dueAt()))
                    .isBetween(LONG.minusMinutes(1), LONG.plusMinutes(1));
            ReplayClaim claim = claim(letter.policy(), letter.id(), LONG);
            assertThat(List.of(found.letter(), claim.letter()))
                    .usingRecursiveFieldByFieldElementComparator(BY_FIELDS)
                    .containsExactly(letter, letter);
        }
    }

    @Test
    final void aLetterThatIsStoredTwiceIsThereOnce() throws Exception {
        storeDue("id");
        ReplayClaim claim = claim(POLICY, "id", LONG);

        storeDue("id");

        assertThat(store.sizes()).isEqualTo(Map.of(POLICY, 1L));
        assertThat(find(POLICY, "id").state()).isEqualTo(State.REPLAYING);
        assertThat(store.succeeded(claim)).isTrue();
        assertThat(store.sizes().getOrDefault(POLICY, 0L)).isZero();
    }

    @Test
    final void lettersAreListedInTheOrderInWhichTheyWereStored() throws Exception {
        storeDue("c", "a", "b");
        store.store(letter("others", "d"), LONG);
        store.failed(claim(POLICY, "c", LONG), FAILURE, LONG);

        Function<StoredLetter, String> id = found -> found.letter().id();
        assertThat(store.list(POLICY, 10)).extracting(id).containsExactly("c", "a", "b");
        assertThat(store.list(POLICY, 2)).extracting(id).containsExactly("c", "a");
        assertThat(store.list("unknown", 10)).isEmpty();
        assertThat(store.sizes()).isEqualTo(Map.of(POLICY, 3L, "others", 1L));
    }

    @Test
    final void aLetterIsFoundUnderItsPolicyAlone() throws Exception {
        storeDue("id");

        for (String policy : List.of("Orders", "orders ", "others")) {
            assertThat(store.find(policy, "id")).isNull();
            assertThat(store.claim(policy, "id", LONG)).isNull();
            assertThat(store.claimDue(policy, LONG)).isNull();
            assertThat(store.discard(policy, "id")).isFalse();
        }
        assertThat(store.find(POLICY, "ID")).isNull();
        assertThat(find(POLICY, "id").state()).isEqualTo(State.WAITING);
    }

    @Test
    final void aLetterHasTheFailureOfItsLastReplayAndIsDueWhenItsWaitIsOver() throws Exception {
        store.store(letter(POLICY, "waiting"), shortWhile());
        storeDue("failed", "postponed", "given up");
        store.failed(claim(POLICY, "failed", LONG), AGAIN, shortWhile());
        store.postpone(claim(POLICY, "postponed", LONG), shortWhile());
        store.failed(claim(POLICY, "given up", LONG), AGAIN, null);

        assertThat(find(POLICY, "failed").letter().failure()).isEqualTo(AGAIN);
        assertThat(find(POLICY, "postponed").letter().failure()).isEqualTo(FAILURE);
        assertThat(find(POLICY, "given up").dueAt()).isNull();
        assertThat(idOfDue()).isNull();
        letPass(shortWhile());
        assertThat(List.of(String.valueOf(idOfDue()), String.valueOf(idOfDue()), String.valueOf(idOfDue())))
                .containsExactlyInAnyOrder("waiting", "failed", "postponed");
        assertThat(idOfDue()).isNull();
    }

    @Test
    final void theLetterThatHasBeenDueForTheLongestTimeComesFirst() throws Exception {
        storeDue("first", "second");
        store.failed(claim(POLICY, "first", LONG), FAILURE, Duration.ZERO);
        letPass(Duration.ofMillis(2));

        assertThat(idOfDue()).isEqualTo("second");
        assertThat(idOfDue()).isEqualTo("first");
        assertThat(idOfDue()).isNull();
    }

    @Test
    final void aLeaseIsMeasuredFromItsClaimOrFromItsRenewal() throws Exception {
        storeDue("renewed", "claimed");
        letPass(LONG);
        ReplayClaim renewed = claim(POLICY, "renewed", shortWhile());
        assertThat(store.renew(renewed, LONG)).isTrue();
        letPass(shortWhile());

        claim(POLICY, "claimed", shortWhile());

        assertThat(store.list(POLICY, 10)).extracting(StoredLetter::state).containsOnly(State.REPLAYING);
        assertThat(store.succeeded(renewed)).isTrue();
    }

    @Test
    final void fencesGrowWithEveryClaim() throws Exception {
        storeDue("id");
        ReplayClaim first = claim(POLICY, "id", shortWhile());
        letPass(shortWhile());
        ReplayClaim second = claim(POLICY, "id", LONG);
        store.postpone(second, LONG);
        ReplayClaim third = claim(POLICY, "id", LONG);
        store.failed(third, FAILURE, LONG);
        ReplayClaim fourth = claim(POLICY, "id", LONG);

        assertThat(List.of(first.fence(), second.fence(), third.fence(), fourth.fence()))
                .isSorted()
                .doesNotHaveDuplicates();
    }

    private void storeForRaces() {
        for (int i = 0; i < races(); i++) {
            store.store(letter(POLICY, "race " + i), Duration.ZERO);
        }
    }

    @Test
    final void ofConcurrentClaimsOneWins() throws Exception {
        storeForRaces();

        Race.run(races(), id -> store.claim(POLICY, id, LONG) != null);
    }

    @Test
    final void ofConcurrentClaimsOfWhatIsDueOneWins() {
        storeForRaces();

        List<String> claimed = IntStream.range(0, 2 * races())
                .parallel()
                .mapToObj(i -> store.claimDue(POLICY, LONG))
                .filter(Objects::nonNull)
                .map(claim -> claim.letter().id())
                .toList();

        assertThat(claimed).doesNotHaveDuplicates().hasSize(races());
    }

    @Test
    final void aClaimAndADiscardDoNotBothWin() throws Exception {
        storeForRaces();

        Race.run(
                races(),
                id -> Thread.currentThread().getId() % 2 == 0
                        ? store.claim(POLICY, id, LONG) != null
                        : store.discard(POLICY, id));
    }
}
