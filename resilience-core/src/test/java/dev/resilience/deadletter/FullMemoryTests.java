package dev.resilience.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a memory that is full does with the letters that it has. */
class FullMemoryTests {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final MemoryDeadLetterStore store = new MemoryDeadLetterStore(new ManualTimeSource(), 1_200);

    private void store(String id) {
        store.store(
                new DeadLetter(id, "orders", "b", "A.b()", new byte[0], new LetterFailure("a.B", ""), 3),
                Duration.ZERO);
    }

    private ReplayClaim claim(String id) {
        return Objects.requireNonNull(store.claim("orders", id, LEASE));
    }

    @Test
    void aLetterWhoseLeaseIsRenewedOrThatIsGivenBackKeepsItsMessage() {
        LetterFailure failure = new LetterFailure("a.B", "down");
        store("one");
        store("two");
        store.failed(claim("one"), failure, Duration.ZERO);
        store.failed(claim("two"), new LetterFailure("a.Long" + "g".repeat(LetterFailure.MAX_TYPE), ""), Duration.ZERO);

        ReplayClaim again = claim("one");
        assertThat(store.renew(again, LEASE)).isTrue();
        assertThat(store.find("orders", "one").replayFailure()).isEqualTo(failure);
        assertThat(store.postpone(again, LEASE)).isTrue();
        assertThat(store.find("orders", "one").replayFailure()).isEqualTo(failure);
    }
}
