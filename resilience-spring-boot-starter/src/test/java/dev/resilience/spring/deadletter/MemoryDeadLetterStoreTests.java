package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.tck.DeadLetterStoreContract;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryDeadLetterStoreTests extends DeadLetterStoreContract {

    private final ManualTimeSource time = new ManualTimeSource();

    @Override
    protected DeadLetterStore emptyStore() {
        return new MemoryDeadLetterStore(time);
    }

    @Override
    protected void letPass(Duration duration) {
        time.advance(duration);
    }

    @Test
    void aFullMemoryKeepsWhatItHasAndRefusesMore() {
        MemoryDeadLetterStore store = new MemoryDeadLetterStore(time, 10_000);
        store.store(letter("one", 6_000), Duration.ZERO);

        assertThatThrownBy(() -> store.store(letter("two", 6_000), Duration.ZERO))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("resilience.dead-letter-store.memory.max-size");

        assertThat(store.find("orders", "one")).isNotNull();
        assertThat(store.discard("orders", "one")).isTrue();
        store.store(letter("two", 6_000), Duration.ZERO);
    }

    @Test
    void whatWasGivenUpGoesWhenItsTimeIsOver() {
        DeadLetterStore store = emptyStore();
        for (String id : List.of("given up", "waiting", "replaying")) {
            store.store(letter(id, 10), Duration.ZERO);
        }
        store.failed(store.claim("orders", "given up", Duration.ofHours(1)), new LetterFailure("t", "m"), null);
        store.claim("orders", "replaying", Duration.ofHours(1));
        letPass(Duration.ofHours(1).minusMinutes(1));
        assertThat(store.removeGivenUp(Duration.ofHours(1))).isZero();
        letPass(Duration.ofMinutes(2));

        assertThat(store.removeGivenUp(Duration.ofHours(1))).isEqualTo(1);

        assertThat(store.find("orders", "given up")).isNull();
        assertThat(store.sizes()).containsEntry("orders", 2L);
    }

    private static DeadLetter letter(String id, int bytes) {
        return new DeadLetter(id, "orders", "bean", "method", new byte[bytes], new LetterFailure("a.B", ""), 1);
    }
}
