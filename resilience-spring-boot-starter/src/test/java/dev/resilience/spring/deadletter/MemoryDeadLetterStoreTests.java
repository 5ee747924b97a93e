package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.tck.DeadLetterStoreContract;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.ReflectionTestUtils;

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

    @Test
    void noOperationLooksAtLettersThatItIsNotAbout() {
        MemoryDeadLetterStore store = new MemoryDeadLetterStore(time);
        for (int i = 0; i < 200; i++) {
            store.store(letter("given up " + i, 10), Duration.ZERO);
            store.failed(
                    store.claim("orders", "given up " + i, Duration.ofHours(1)), new LetterFailure("t", "m"), null);
            store.store(letter("waiting " + i, 10), Duration.ofHours(1));
        }
        store.store(letter("due", 10), Duration.ZERO);
        Object letters = Objects.requireNonNull(ReflectionTestUtils.getField(store, "letters"));
        Map<?, ?> rows = (Map<?, ?>) Objects.requireNonNull(ReflectionTestUtils.getField(letters, "rows"));
        CountingMap<?, ?> counting = new CountingMap<>(rows);
        ReflectionTestUtils.setField(letters, "rows", counting);

        assertThat(store.list("orders", 3)).hasSize(3);
        assertThat(store.sizes()).containsEntry("orders", 401L);
        assertThat(store.claimDue("orders", Duration.ofHours(1))).isNotNull();
        assertThat(store.claimDue("orders", Duration.ofHours(1))).isNull();
        assertThat(store.removeGivenUp(Duration.ofDays(30))).isZero();
        assertThat(store.discard("orders", "given up 7")).isTrue();

        assertThat(counting.visited).isZero();
    }

    /** Counts the values that it hands out without being asked for their key. */
    private static final class CountingMap<K, V> extends AbstractMap<K, V> {

        private final Map<K, V> map;
        private int visited;

        CountingMap(Map<K, V> map) {
            this.map = map;
        }

        @Override
        public V get(Object key) {
            return map.get(key);
        }

        @Override
        public V put(K key, V value) {
            return map.put(key, value);
        }

        @Override
        public V remove(Object key) {
            return map.remove(key);
        }

        @Override
        public int size() {
            return map.size();
        }

        @Override
        public Set<Entry<K, V>> entrySet() {
            Stream<Entry<K, V>> entries = map.entrySet().stream().peek(entry -> visited++);
            return new AbstractSet<>() {
                @Override
                public Iterator<Entry<K, V>> iterator() {
                    return entries.iterator();
                }

                @Override
                public int size() {
                    return map.size();
                }
            };
        }
    }

    private static DeadLetter letter(String id, int bytes) {
        return new DeadLetter(id, "orders", "bean", "method", new byte[bytes], new LetterFailure("a.B", ""), 1);
    }
}
