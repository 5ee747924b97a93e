package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.KeptCalls;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.pipeline.Environment;
import dev.resilience.time.ManualTimeSource;
import java.io.IOException;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a failure tells of its call: the last one that has ended so. */
class KeptFailuresTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final DeadLetters letters =
            new DeadLetters("orders", new MemoryDeadLetterStore(time, 40), Environment.of(time));

    private void keep(@Nullable Throwable failure, String id) {
        letters.keep(
                failure,
                () -> new DeadLetter(id, "orders", "b", "A.b()", new byte[0], new LetterFailure("a.B", ""), 3));
    }

    /** All are equal, as some exceptions are. */
    private static final class Equal extends RuntimeException {

        @Override
        public boolean equals(Object other) {
            return other instanceof Equal;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    @Test
    void theVeryFailureOfACallThatWasKeptTellsItsLetter() throws Exception {
        IOException failure = new IOException("down");
        keep(failure, "A");

        assertThat(KeptCalls.find(failure)).contains("A");
        assertThat(KeptCalls.<IOException>orThrow(failure)).isEqualTo("A");
        assertThat(KeptCalls.find(new IOException("down", failure))).isEmpty();
    }

    @Test
    void aFailureThatEqualsAnotherOneIsNotTakenForIt() {
        Equal kept = new Equal();
        keep(kept, "A");

        assertThat(KeptCalls.find(kept)).contains("A");
        assertThat(KeptCalls.find(new Equal())).isEmpty();
    }

    @Test
    void aCallThatIsNotKeptGetsItsFailureBack() {
        IOException failure = new IOException("down");
        KeptCalls.note(failure, null);

        assertThatThrownBy(() -> KeptCalls.orThrow(failure)).isSameAs(failure);
    }

    @Test
    void aCallWhoseLetterCouldNotBeStoredIsNotKept() {
        IOException failure = new IOException("down");
        keep(new IOException("another call's"), "A");
        keep(new IOException("another call's"), "B");
        keep(failure, "C");

        assertThat(letters.size()).as("the store is full").isEqualTo(2);
        assertThat(KeptCalls.find(failure)).isEmpty();
    }

    @Test
    void aFailureThatIsThrownAgainAndAgainTellsOfTheLastCall() {
        IOException constant = new IOException("down");
        keep(constant, "A");
        keep(constant, "B");
        assertThat(KeptCalls.find(constant)).contains("B");

        KeptCalls.note(constant, null);
        assertThat(KeptCalls.find(constant)).isEmpty();

        keep(constant, "C");
        assertThat(KeptCalls.find(constant)).as("the store is full").isEmpty();
    }

    @Test
    void aFailureIsHeldNoLongerThanOthersHoldIt() {
        WeakReference<Throwable> gone = new WeakReference<>(new IOException("down"));
        keep(gone.get(), "A");

        while (!gone.refersTo(null)) {
            System.gc();
        }
    }

    @Test
    void aResultThatAsksForAnotherAttemptHasNoFailureToTell() {
        keep(null, "A");

        assertThat(letters.size()).isEqualTo(1);
    }
}
