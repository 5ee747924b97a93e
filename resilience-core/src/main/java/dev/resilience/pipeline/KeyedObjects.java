package dev.resilience.pipeline;

import dev.resilience.time.ShortLock;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
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
 * beyond {@value #MAX_LENGTH} characters is replaced by a digest.
 *
 * <p>A key never has two objects that calls hold. What a call holds stays, so there may be more than the limit: as many as
 * calls under way, and those that stay whatever comes. A key that is known is found without a lock. A new one takes a lock, for
 * a constant time on average.
 *
 * <p>Least recently used is approximated: of the next {@value #LOOKS} in turn the one goes that was used before the others, by
 * the number of keys that had come by then. Those in use are set aside; each new key looks at {@value #LOOKS} of them again. If
 * all are in use, one of these goes, and one that is free again may be overlooked until an eighth of the limit has come in new
 * keys. Where the limit was lowered, each new key takes the places of up to {@value #LOOKS}.
 *
 * <p>Safe for use by many threads.
 *
 * @param <L> what there is for each key
 */
public final class KeyedObjects<L> {

    /** The longest key that is kept as it is. */
    public static final int MAX_LENGTH = 255;

    private static final int LOOKS = 8;
    private static final int DIGEST_BYTES = 16;

    private final IntSupplier max;
    private final Function<String, L> factory;
    private final Predicate<L> isInUse;
    private final Predicate<L> stays;
    private final Consumer<L> end;
    private final Map<String, Held<L>> byKey = new ConcurrentHashMap<>();
    private final ShortLock lock = new ShortLock();
    private final Queue<Held<L>> inTurn = new ArrayDeque<>(); // with the lock, as is the next
    private final Queue<Held<L>> aside = new ArrayDeque<>();

    /** How many keys have come, counted with the lock: uses are dated by it. */
    private final AtomicInteger come = new AtomicInteger();

    /**
     * @param max how many there may be; asked whenever a new key comes
     * @param factory makes the one of a key
     * @param isInUse whether one goes after others, because it knows something that must not be forgotten
     * @param stays whether it does not go at all, until {@link #clear()}
     * @param end called once with each that has gone. All these are called under a lock and must be quick
     */
    public KeyedObjects(
            IntSupplier max, Function<String, L> factory, Predicate<L> isInUse, Predicate<L> stays, Consumer<L> end) {
        this.max = max;
        this.factory = factory;
        this.isInUse = isInUse;
        this.stays = stays;
        this.end = end;
    }

    /**
     * The object of a key, which stays for as long as calls hold it.
     *
     * @param usedAt how many keys had come when it was held last
     */
    record Held<L>(String key, L live, AtomicInteger holders, AtomicInteger usedAt) {

        private static final int GONE = Integer.MIN_VALUE;

        /** To be called once for each time that it was held. */
        void release() {
            holders.decrementAndGet();
        }

        /** Not if it has gone: so many calls cannot come for one that has that it would seem to be there again. */
        private boolean hold(int now) {
            usedAt.set(now);
            return holders.incrementAndGet() > 0;
        }
    }

    /** Holds the object of a key, which is made if there is none. To be released when the call has ended. */
    Held<L> hold(@Nullable String key) {
        String text = text(key);
        while (true) {
            Held<L> known = byKey.get(text);
            if (known == null) {
                known = lock.get(() -> byKey.containsKey(text) ? byKey.get(text) : create(text));
            }
            if (known.hold(come.get())) {
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
        return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH - 2 * DIGEST_BYTES) + digest(text);
    }

    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_16));
            return HexFormat.of().formatHex(digest, 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }

    private Held<L> create(String key) {
        for (int looks = Math.min(LOOKS, aside.size()); looks > 0; looks--) {
            Held<L> next = aside.remove();
            (isInUse(next) ? aside : inTurn).add(next);
        }
        for (int gone = 0; gone < LOOKS && byKey.size() >= max.getAsInt() && oneGoes(); gone++) {}
        Held<L> made = new Held<>(key, factory.apply(key), new AtomicInteger(), new AtomicInteger());
        come.incrementAndGet();
        byKey.put(key, made);
        inTurn.add(made);
        return made;
    }

    /** Not if calls hold the one that is to go, or it stays. */
    private boolean oneGoes() {
        List<Held<L>> looked = new ArrayList<>();
        while (looked.size() < LOOKS && !inTurn.isEmpty()) {
            Held<L> next = inTurn.remove();
            (isInUse(next) ? aside : looked).add(next);
        }
        looked.sort(Comparator.comparingInt(held -> held.usedAt.get() - come.get()));
        if (looked.isEmpty() && !aside.isEmpty()) {
            looked.add(aside.remove());
        }
        boolean goes = !looked.isEmpty() && !stays.test(looked.get(0).live) && goes(looked.get(0));
        inTurn.addAll(goes ? looked.subList(1, looked.size()) : looked);
        return goes;
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

    /** Forgets all keys but those that calls hold: these would have a second object. */
    public void clear() {
        lock.get(() -> {
            inTurn.removeIf(this::goes);
            return aside.removeIf(this::goes);
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
