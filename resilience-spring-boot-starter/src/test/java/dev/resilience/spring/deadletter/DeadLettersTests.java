package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.context.CallContext;
import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.deadletter.StoredLetter.State;
import dev.resilience.event.DeadLetterOutcome;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.pipeline.Environment;
import dev.resilience.spring.deadletter.DeadLetters.Replayed;
import dev.resilience.spring.deadletter.DeadLetters.Replayer;
import dev.resilience.spring.deadletter.DeadLetters.UnreadableLetterException;
import dev.resilience.time.ManualTimeSource;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How letters are kept and replayed, and how long they wait. */
class DeadLettersTests {

    private static final Replayer FAILING = (letter, attempt) -> {
        throw new IOException("down");
    };

    private final ManualTimeSource time = new ManualTimeSource();
    private final MemoryDeadLetterStore store = new MemoryDeadLetterStore(time);
    private final DeadLetters letters = new DeadLetters("orders", store, Environment.of(time));
    private final List<String> replayed = new ArrayList<>();
    private final Replayer working = (letter, attempt) -> replayed.add(letter.id());

    private static DeadLetter letter(String id) {
        return new DeadLetter(id, "orders", "bean", "A.b()", new byte[] {'[', ']'}, new LetterFailure("a.B", ""), 3);
    }

    private StoredLetter stored(String id) {
        return Objects.requireNonNull(store.find("orders", id));
    }

    private Replayed.@Nullable Result replayDue(Replayer replayer) {
        Replayed ended = letters.replayDue(replayer);
        return ended == null ? null : ended.result();
    }

    @Test
    void aLetterIsReplayedAfterAMinuteAndOnce() {
        letters.keep(null, () -> letter("id"));
        assertThat(replayDue(working)).isNull();

        time.advance(Duration.ofMinutes(1));

        assertThat(replayDue(working)).isEqualTo(Replayed.Result.SUCCEEDED);
        time.advance(Duration.ofDays(1));
        assertThat(replayDue(working)).isNull();
        assertThat(replayed).containsExactly("id");
        assertThat(letters.calls().byLabel()).containsEntry("stored", 1L).containsEntry("replayed", 1L);
    }

    @Test
    void waitsGrowUpToAnHourAndAfterTenReplaysTheLetterIsGivenUp() {
        letters.keep(null, () -> letter("id"));
        List<Long> minutes = new ArrayList<>();
        long waited = 1;
        time.advance(Duration.ofMinutes(1));
        while (stored("id").state() != State.GIVEN_UP) {
            if (replayDue(FAILING) == null) {
                waited++;
                time.advance(Duration.ofMinutes(1));
            } else {
                minutes.add(waited);
                waited = 0;
            }
        }

        assertThat(minutes).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L, 60L);
        time.advance(Duration.ofDays(10));
        assertThat(replayDue(working)).isNull();
        assertThat(letters.replay("id", FAILING)).extracting(Replayed::result).isEqualTo(Replayed.Result.GIVEN_UP);
        assertThat(letters.replay("id", working)).extracting(Replayed::result).isEqualTo(Replayed.Result.SUCCEEDED);
        assertThat(letters.calls().get(DeadLetterOutcome.REPLAY_FAILED)).isEqualTo(11);
    }

    @Test
    void aSlowReplayKeepsItsLetterAndAHungOneLosesIt() {
        letters.keep(null, () -> letter("id"));
        DeadLetters ofOtherProcess = new DeadLetters("orders", store, Environment.of(time));

        letters.replay("id", (slow, attempt) -> {
            time.advance(Duration.ofMinutes(9));
            assertThat(stored("id").state()).isEqualTo(State.REPLAYING);
            assertThat(ofOtherProcess.replayDue(working)).isNull();
            assertThat(ofOtherProcess.replay("id", working)).isNull();
            time.advance(Duration.ofMinutes(3));
            assertThat(stored("id").state()).isEqualTo(State.ABANDONED);
            assertThat(ofOtherProcess.replayDue(working)).isNotNull();
        });

        assertThat(replayed).containsExactly("id");
        assertThat(store.sizes()).isEmpty();
    }

    @Test
    void aReplayThatAPolicyRefusesDoesNotCountAndComesAgain() {
        letters.keep(null, () -> letter("id"));

        Replayed refused = letters.replay("id", (full, attempt) -> {
            throw new BulkheadFullException("orders", "full");
        });

        assertThat(Objects.requireNonNull(refused).result()).isEqualTo(Replayed.Result.NOT_MADE);
        assertThat(stored("id").replays()).isZero();
        assertThat(letters.calls().get(DeadLetterOutcome.REPLAY_FAILED)).isZero();
        time.advance(Duration.ofMinutes(1));
        assertThat(replayDue(working)).isEqualTo(Replayed.Result.SUCCEEDED);
    }

    @Test
    void aRefusalThatComesFromInsideOfTheMethodIsAFailure() {
        letters.keep(null, () -> letter("id"));

        Replayed failed = letters.replay("id", (inside, attempt) -> {
            new CallContext(null, attempt.firstInReplay("retry 'orders'")).run(() -> CallContext.methodBegins("call"));
            throw new BulkheadFullException("another", "full");
        });

        assertThat(Objects.requireNonNull(failed).result()).isEqualTo(Replayed.Result.FAILED);
        assertThat(stored("id").replays()).isEqualTo(1);
    }

    @Test
    void aLetterThatCannotBeReadHereIsLeftToOthersAndNeverGivenUp() {
        letters.keep(null, () -> letter("id"));
        for (int i = 0; i < 20; i++) {
            time.advance(Duration.ofMinutes(10));
            assertThat(replayDue((unknown, attempt) -> {
                        throw new UnreadableLetterException("no such method", null);
                    }))
                    .isEqualTo(Replayed.Result.NOT_MADE);
            assertThat(replayDue(working)).as("not at once").isNull();
        }

        assertThat(stored("id").replays()).isZero();
        assertThat(letters.calls().get(DeadLetterOutcome.REPLAY_FAILED)).isEqualTo(20);
        time.advance(Duration.ofMinutes(10));
        assertThat(replayDue(working)).isEqualTo(Replayed.Result.SUCCEEDED);
    }

    @Test
    void theFailureOfAReplayIsStoredBeyondTheBoundOfTheMemoryAndCountsForIt() {
        LetterFailure failure = new LetterFailure("a.B", "m".repeat(200));
        MemoryDeadLetterStore small = new MemoryDeadLetterStore(time, 80);
        small.store(letter("one"), Duration.ZERO);
        small.store(letter("two"), Duration.ZERO);
        small.failed(Objects.requireNonNull(small.claim("orders", "one", Duration.ZERO)), failure, Duration.ZERO);

        assertThat(Objects.requireNonNull(small.find("orders", "one")).letter().failure())
                .isEqualTo(failure);
        assertThatThrownBy(() -> small.store(letter("three"), Duration.ZERO)).hasMessageContaining("is full");
        assertThat(small.discard("orders", "one")).isTrue();
        small.store(letter("three"), Duration.ZERO);
    }

    @Test
    void aLetterWhoseProcessDiesInEachReplayIsGivenUp() {
        letters.keep(null, () -> letter("id"));
        for (int i = 0; i < 10; i++) {
            time.advance(Duration.ofMinutes(1));
            assertThat(store.claimDue("orders", Duration.ofSeconds(30))).isNotNull();
        }
        time.advance(Duration.ofMinutes(1));

        assertThat(replayDue(working)).isEqualTo(Replayed.Result.GIVEN_UP);

        assertThat(replayed).isEmpty();
        assertThat(stored("id").state()).isEqualTo(State.GIVEN_UP);
    }

    @Test
    void whatCannotBeKeptIsCountedAndNotThrown() {
        letters.keep(null, () -> {
            throw new StackOverflowError();
        });
        letters.keep(null, () -> new DeadLetter("", "orders", "b", "o", new byte[0], new LetterFailure("t", ""), 1));

        assertThat(letters.calls().get(DeadLetterOutcome.STORE_FAILURE)).isEqualTo(2);
        assertThat(letters.size()).isZero();
    }

    @Test
    void lettersAreInTroubleFromACallThatIsLostToOneThatIsKept() {
        assertThat(letters.areInTrouble()).isFalse();
        letters.keep(null, () -> {
            throw new StackOverflowError();
        });
        assertThat(letters.areInTrouble()).isTrue();

        letters.keep(null, () -> letter("id"));

        assertThat(letters.areInTrouble()).isFalse();
    }

    @Test
    void lettersOfAStoreThatDoesNotAnswerAreInTrouble() {
        List<String> asked = new ArrayList<>();
        DeadLetterStore broken = (DeadLetterStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DeadLetterStore.class}, (proxy, method, arguments) -> {
                    asked.add(method.getName());
                    time.advance(Duration.ofSeconds(30)); // as long as a pool waits for a connection
                    throw new IllegalStateException("down");
                });
        DeadLetters ofBroken = new DeadLetters("orders", broken, Environment.of(time));

        assertThat(ofBroken.size()).isNaN();
        assertThat(ofBroken.areInTrouble()).isTrue();

        assertThat(asked).as("a request waits once").containsExactly("sizes");
    }

    @Test
    void anAbandonedLetterWhoseNextReplayIsRefusedIsNotTakenForANewOne() {
        letters.keep(null, () -> letter("id"));
        assertThat(store.claim("orders", "id", Duration.ZERO)).isNotNull();
        assertThat(stored("id").state()).isEqualTo(State.ABANDONED);

        letters.replay("id", (full, attempt) -> {
            throw new BulkheadFullException("orders", "full");
        });

        assertThat(stored("id").state()).isEqualTo(State.FAILED);
        assertThat(replayDue(working)).isNull();
        time.advance(Duration.ofMinutes(1));
        assertThat(replayDue(working)).isEqualTo(Replayed.Result.SUCCEEDED);
    }

    @Test
    void anInterruptedThreadLosesNoLetterAndStaysInterrupted() {
        DeadLetters ofPool = new DeadLetters("orders", new InterruptibleStore(store), Environment.of(time));
        Thread.currentThread().interrupt();
        ofPool.keep(null, () -> letter("id"));
        assertThat(Thread.interrupted()).isTrue();

        ofPool.replay("id", (interrupted, attempt) -> {
            Thread.currentThread().interrupt();
            throw new InterruptedException();
        });

        assertThat(Thread.interrupted()).isTrue();
        assertThat(stored("id").state()).isEqualTo(State.FAILED);
    }

    @Test
    void anInterruptOfTheMethodsOwnIsNoneOfTheRequester() {
        letters.keep(null, () -> letter("id"));

        letters.replay("id", (interrupted, attempt) -> {
            throw new InterruptedException("of a thread that the method waited for");
        });

        assertThat(Thread.interrupted()).isFalse();
        assertThat(stored("id").state()).isEqualTo(State.FAILED);
    }

    @Test
    void theSizeIsAskedForEveryFiveSecondsAndAfterAnOwnChange() {
        assertThat(letters.size()).isZero();
        store.store(letter("of another process"), Duration.ZERO);
        assertThat(letters.size()).isZero();
        time.advance(Duration.ofSeconds(5));
        assertThat(letters.size()).isEqualTo(1);
        letters.keep(null, () -> letter("own"));
        assertThat(letters.size()).isEqualTo(2);
        assertThat(letters.discard("own")).isNotNull();
        assertThat(letters.size()).isEqualTo(1);
        assertThat(letters.calls().byLabel()).containsAllEntriesOf(Map.of("stored", 1L, "discarded", 1L));
    }
}
