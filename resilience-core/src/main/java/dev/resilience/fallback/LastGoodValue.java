package dev.resilience.fallback;

import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The last good value of each key, for a fallback that answers with what the call returned before: one line in the method
 * and one line in its fallback.
 *
 * <pre>{@code
 * private final LastGoodValue<String, Price> prices = new LastGoodValue<>(10_000, Duration.ofMinutes(10));
 *
 * @Fallback("lastPrice")
 * public Price price(String article) {
 *     return prices.remember(article, client.price(article));
 * }
 *
 * Price lastPrice(String article, Throwable failure) {
 *     return prices.orThrow(article, failure);
 * }
 * }</pre>
 *
 * <p>It keeps a bounded number of keys. A new key beyond the bound takes the place of one that was neither remembered nor
 * asked for lately: the clock algorithm, which comes close to least recently used. A value that is too old is never given
 * out; it goes when a newer one comes or its key gives up its place, because no thread sweeps.
 *
 * <p>What is remembered is given out as the same instance, so it should be immutable. Of two calls for a key that overlap,
 * the one that remembers later counts. What differs by user has the user in its key: a fallback would otherwise show it to
 * another one.
 *
 * <p>Safe for use by many threads. Only a new key takes a lock.
 *
 * @param <K> what tells calls apart, with {@code equals} and {@code hashCode} that do not change
 * @param <V> what is remembered
 */
public final class LastGoodValue<K, V> {

    private final int maxKeys;
    private final @Nullable Duration maxAge;
    private final TimeSource time;

    private final ConcurrentMap<K, Slot<K, V>> slots = new ConcurrentHashMap<>();
    private final ReentrantLock adding = new ReentrantLock();

    /** The same slots as the map, in the order in which the hand of the clock comes to them; guarded by the lock. */
    private final ArrayDeque<Slot<K, V>> clock = new ArrayDeque<>();

    /**
     * Values of any age.
     *
     * @param maxKeys how many keys it keeps at the most, at least 1
     */
    public LastGoodValue(int maxKeys) {
        this(maxKeys, null, TimeSource.system());
    }

    /**
     * @param maxKeys how many keys it keeps at the most, at least 1
     * @param maxAge how long after it was remembered a value may be given out, longer than zero
     */
    public LastGoodValue(int maxKeys, Duration maxAge) {
        this(maxKeys, maxAge, TimeSource.system());
    }

    /**
     * @param maxKeys how many keys it keeps at the most, at least 1
     * @param maxAge how long after it was remembered a value may be given out, longer than zero; null for ever
     * @param time measures the age
     */
    public LastGoodValue(int maxKeys, @Nullable Duration maxAge, TimeSource time) {
        if (maxKeys < 1) {
            throw new IllegalArgumentException("maxKeys is " + maxKeys + ", but must be at least 1");
        }
        if (maxAge != null && (maxAge.isNegative() || maxAge.isZero())) {
            throw new IllegalArgumentException("maxAge is " + maxAge + ", but must be longer than zero");
        }
        this.maxKeys = maxKeys;
        this.maxAge = maxAge;
        this.time = time;
    }

    /**
     * Remembers the value of a call that succeeded. Null is an answer too: the older value is no longer true, and
     * nothing is remembered in its place.
     *
     * @return the value
     */
    public <T extends @Nullable V> T remember(K key, T value) {
        Slot<K, V> slot = slots.get(Objects.requireNonNull(key, "key"));
        if (value == null) {
            forget(key);
        } else if (slot == null) {
            add(key, new Remembered<>(value, time.nanoTime()));
        } else {
            slot.set(new Remembered<>(value, time.nanoTime()));
        }
        return value;
    }

    /** The value that was remembered last, if it is not too old. */
    public Optional<V> find(K key) {
        Slot<K, V> slot = slots.get(Objects.requireNonNull(key, "key"));
        Remembered<V> last = slot == null ? null : slot.last;
        if (slot == null || last == null) {
            return Optional.empty();
        }
        if (maxAge != null && Duration.ofNanos(time.nanoTime() - last.at()).compareTo(maxAge) > 0) {
            return Optional.empty();
        }
        slot.used = true;
        return Optional.of(last.value());
    }

    /**
     * The value that was remembered last, or where there is none the failure: then the caller gets what it would have
     * got without a fallback.
     *
     * @throws X the failure itself, the same instance and in no wrapper. The compiler takes it for unchecked: it is one that
     *     the protected method throws, and declares if it must
     */
    @SuppressWarnings("unchecked")
    public <X extends Throwable> V orThrow(K key, Throwable failure) throws X {
        return find(key).orElseThrow(() -> (X) failure);
    }

    /** Forgets a value that is known to be no longer true, because the application has changed it. */
    public void forget(K key) {
        Slot<K, V> slot = slots.get(Objects.requireNonNull(key, "key"));
        if (slot != null) {
            slot.last = null; // the slot stays until the hand comes to it: to search the clock for it would take long
            slot.used = false;
        }
    }

    private void add(K key, Remembered<V> first) {
        adding.lock();
        try {
            Slot<K, V> known = slots.get(key);
            if (known != null) { // another thread was first
                known.set(first);
                return;
            }
            if (clock.size() == maxKeys) {
                evict();
            }
            Slot<K, V> slot = new Slot<>(key, first);
            clock.addLast(slot);
            slots.put(key, slot);
        } finally {
            adding.unlock();
        }
    }

    /** At most one round: slots that are used all the time do not keep the hand going. */
    private void evict() {
        Slot<K, V> slot = clock.removeFirst();
        for (int passed = 0; slot.used && passed < maxKeys; passed++) {
            slot.used = false;
            clock.addLast(slot);
            slot = clock.removeFirst();
        }
        slots.remove(slot.key);
    }

    private record Remembered<V>(V value, long at) {}

    /** A key's place. One that is set while it is evicted is evicted: that is as if it were evicted a moment later. */
    private static final class Slot<K, V> {

        final K key;
        volatile @Nullable Remembered<V> last;
        volatile boolean used;

        Slot(K key, Remembered<V> first) {
            this.key = key;
            this.last = first;
        }

        void set(Remembered<V> next) {
            last = next;
            if (!used) { // a write that changes nothing would take the cache line from other processors
                used = true;
            }
        }
    }
}
