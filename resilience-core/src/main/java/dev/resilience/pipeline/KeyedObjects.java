package dev.resilience.pipeline;

import dev.resilience.time.ShortLock;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Objects by key, each made with the first call of its key, and at most so many: then those go that have not been used for
 * long, and one that is in use after all others. Keys are compared as texts. {@code null} is the empty key; the end of a text
 * beyond {@value #MAX_LENGTH} characters is replaced by a hash.
 *
 * <p>A key never has two objects that calls hold. What a call holds stays, so there may be more than the limit: as many as
 * calls under way. A key that is known is found without a lock. A new one takes a lock, for a constant time on average.
 *
 * <p>Least recently used is approximated by CLOCK, also known as second chance (Corbató, 1968): one that was used since the
 * hand came by last is passed over once. Those in use are set aside; each new key looks at {@value #LOOKS} of them again. If all
 * are in use, one of these goes, and one that is free again may be overlooked until an eighth of the limit has come in new keys.
 *
 * <p>Safe for use by many threads.
 *
 * @param <L> what there is for each key
 */
public final class KeyedObjects<L> {

    /** The longest key that is kept as it is. */
    public static final int MAX_LENGTH = 255;

    private static final int LOOKS = 8;

    private final IntSupplier max;
    private final Function<String, L> factory;
    private final Predicate<L> isInUse;
    private final Consumer<L> end;
    private final Map<String, Held<L>> byKey = new ConcurrentHashMap<>();
    private final ShortLock lock = new ShortLock();
    private final Queue<Held<L>> clock = new ArrayDeque<>(); // with the lock, as is the next
    private final Queue<Held<L>> aside = new ArrayDeque<>();

    /**
     * @param max how many there may be; asked whenever a new key comes
     * @param factory makes the one of a key
     * @param isInUse whether one goes after others, because it knows something that must not be forgotten
     * @param end called once with each that has gone. All three are called under a lock and must be quick
     */
    public KeyedObjects(IntSupplier max, Function<String, L> factory, Predicate<L> isInUse, Consumer<L> end) {
        this.max = max;
        this.factory = factory;
        this.isInUse = isInUse;
        this.end = end;
    }

    /** The object of a key, which stays for as long as calls hold it. */
    public static final class Held<L> {

        private static final int GONE = Integer.MIN_VALUE;

        private final String key;
        private final L live;
        private final AtomicInteger holders = new AtomicInteger();
        private volatile boolean used;

        private Held(String key, L live) {
            this.key = key;
            this.live = live;
        }

        public L live() {
            return live;
        }

        /** To be called once for each time that it was held. */
        public void release() {
            holders.decrementAndGet();
        }

        /** Not if it has gone: so many calls cannot come for one that has that it would seem to be there again. */
        private boolean hold() {
            used = true;
            return holders.incrementAndGet() > 0;
        }
    }

    /** Holds the object of a key, which is made if there is none. To be released when the call has ended. */
    public Held<L> hold(@Nullable String key) {
        String text = text(key);
        while (true) {
            Held<L> known = byKey.get(text);
            if (known == null) {
                known = lock.get(() -> byKey.containsKey(text) ? byKey.get(text) : create(text));
            }
            if (known.hold()) {
                return known;
            }
        }
    }

    /** As {@link #hold}, for those that need not be sure that it is still the key's one when they use it. */
    public L get(@Nullable String key) {
        Held<L> held = hold(key);
        held.release();
        return held.live;
    }

    private static String text(@Nullable String key) {
        String text = key == null ? "" : key;
        return text.length() <= MAX_LENGTH
                ? text
                : text.substring(0, MAX_LENGTH - 9) + '#' + Integer.toHexString(text.hashCode());
    }

    private Held<L> create(String key) {
        for (int looks = Math.min(LOOKS, aside.size()); looks > 0; looks--) {
            Held<L> next = aside.remove();
            (isInUse(next) ? aside : clock).add(next);
        }
        while (byKey.size() >= max.getAsInt() && oneGoes()) {}
        Held<L> made = new Held<>(key, factory.apply(key));
        byKey.put(key, made);
        clock.add(made);
        return made;
    }

    /** Not if calls hold all that it looks at. */
    private boolean oneGoes() {
        for (int passed = 2 * clock.size(); passed > 0 && !clock.isEmpty(); passed--) {
            Held<L> next = clock.remove();
            if (next.used) {
                next.used = false;
                clock.add(next);
            } else if (!isInUse(next) && goes(next)) {
                return true;
            } else {
                aside.add(next);
            }
        }
        Held<L> inUse = aside.peek();
        return inUse != null && goes(inUse) && aside.remove(inUse);
    }

    private boolean goes(Held<L> held) {
        boolean goes = held.holders.compareAndSet(0, Held.GONE);
        if (goes) {
            byKey.remove(held.key);
            end.accept(held.live);
        }
        return goes;
    }

    private boolean isInUse(Held<L> held) {
        return held.holders.get() != 0 || isInUse.test(held.live);
    }

    /** Forgets all keys. Calls under way end as they would have. */
    public void clear() {
        lock.get(() -> {
            byKey.values().forEach(held -> end.accept(held.live));
            byKey.clear();
            clock.clear();
            return aside.removeIf(held -> true);
        });
    }

    /** The object of a key, if there is one. To look is not to use. */
    public @Nullable L find(String key) {
        Held<L> known = byKey.get(text(key));
        return known == null ? null : known.live;
    }

    /** How many there are of which something is true. */
    public long count(Predicate<L> test) {
        return byKey.values().stream().filter(held -> test.test(held.live)).count();
    }

    /**
     * What is seen of some, by key.
     *
     * @param areFirst those that are shown before others
     */
    public <V> Map<String, V> some(int atMost, Predicate<L> areFirst, Function<L, V> view) {
        Map<String, V> some = new LinkedHashMap<>();
        Stream.concat(byKey.values().stream().filter(held -> areFirst.test(held.live)), byKey.values().stream())
                .distinct()
                .limit(atMost)
                .forEach(held -> some.put(held.key, view.apply(held.live)));
        return some;
    }

    /** How many there are. */
    public int size() {
        return byKey.size();
    }
}
