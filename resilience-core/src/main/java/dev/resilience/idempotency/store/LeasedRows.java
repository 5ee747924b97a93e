package dev.resilience.idempotency.store;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a store in this process, bounded by the bytes of what is stored. Rows never change, but are replaced. Reading
 * needs no lock; whatever changes rows holds the one lock of the store that has them. Not for applications.
 *
 * @param <K> what a row is found by
 */
public final class LeasedRows<K, R extends LeasedRows.Row> {

    private static final int MIN_NOTED = 1_000;

    private final TimeSource time;
    private final long maxBytes;
    private final String full;
    private final Map<K, R> rows = new ConcurrentHashMap<>();
    private final Map<String, Long> bytesOf = new ConcurrentHashMap<>(); // by shares

    /** When rows will be over, the next one first, and what was noted of rows that have been replaced since. */
    final PriorityQueue<Noted<K>> noted = new PriorityQueue<>((one, other) -> Long.signum(one.overAt - other.overAt));

    private record Noted<K>(K key, long overAt) {}

    /** One row. */
    public interface Row {

        /** The bytes of what is stored, keys included. */
        long bytes();

        /** From when on no caller would notice if the row were gone, by {@link TimeSource#nanoTime()}; {@code null} for never. */
        @Nullable
        Long overAt();

        /** Whether no caller would notice if the row were gone. */
        default boolean isOver(long now) {
            Long overAt = overAt();
            return overAt != null && overAt - now <= 0;
        }

        /** Of which share of the bytes it takes. */
        default String share() {
            return "";
        }
    }

    /** There is no room for a new row, which was not added. */
    public static final class FullException extends IllegalStateException {

        private static final long serialVersionUID = 1;

        FullException(String message) {
            super(message);
        }
    }

    /**
     * @param maxBytes how many bytes rows hold at the most
     * @param full what a full store answers: a text with three places, for the rows that there are, their bytes and the limit
     */
    public LeasedRows(TimeSource time, long maxBytes, String full) {
        this.time = time;
        this.maxBytes = maxBytes;
        this.full = full;
    }

    /**
     * Keeps a share of the bytes. Half of them are kept in equal shares, the other half is common: rows that find no room in
     * their share take that.
     */
    public void keepShare(String name) {
        bytesOf.putIfAbsent(name, 0L);
    }

    public @Nullable R get(K key) {
        return rows.get(key);
    }

    /** The rows by their keys, as they are at any time. */
    public Map<K, R> all() {
        return rows;
    }

    /** How many bytes they hold. */
    public long bytes() {
        return bytesOf.values().stream().mapToLong(Long::longValue).sum();
    }

    /** How many bytes they may hold. */
    public long maxBytes() {
        return maxBytes;
    }

    /** When a lease or a wait that begins now is over, by {@link TimeSource#nanoTime()}. */
    public long after(Duration duration) {
        long max = Long.MAX_VALUE / 2; // so that a difference of two times never overflows
        return time.nanoTime() + Math.min(max, Durations.toNanos(duration));
    }

    /**
     * Adds a row of a new key.
     *
     * @throws FullException if there is no room for it, also without the rows that are over
     */
    public void add(K key, R row) {
        removeOver();
        if (!hasRoom(row)) {
            throw new FullException(String.format(full, rows.size(), bytes(), maxBytes));
        }
        replace(key, row);
    }

    private boolean hasRoom(R row) {
        keepShare(row.share());
        long share = maxBytes / 2 / bytesOf.size();
        long common = maxBytes - share * bytesOf.size();
        for (Map.Entry<String, Long> taken : bytesOf.entrySet()) {
            boolean isAdded = taken.getKey().equals(row.share());
            long with = taken.getValue() + (isAdded ? row.bytes() : 0);
            if (isAdded && with <= share) {
                return true;
            }
            common -= Math.max(0, with - share);
        }
        return common >= 0;
    }

    /** Puts a row in the place of the one that is there, beyond the bound if need be; {@code null} removes that. */
    public void replace(K key, @Nullable R row) {
        R before = row == null ? rows.remove(key) : rows.put(key, row);
        count(before, -1);
        count(row, 1);
        if (row != null) {
            note(key, row);
        }
        if (noted.size() > MIN_NOTED + 2 * rows.size()) {
            noted.clear();
            rows.forEach(this::note);
        }
    }

    private void count(@Nullable R row, int sign) {
        if (row != null) {
            bytesOf.merge(row.share(), sign * row.bytes(), Long::sum);
        }
    }

    private void note(K key, R row) {
        Long overAt = row.overAt();
        if (overAt != null) {
            noted.add(new Noted<>(key, overAt));
        }
    }

    /**
     * Changes a row, or removes it.
     *
     * @return false if there is none that may be changed
     */
    public boolean change(K key, Predicate<R> which, Function<R, @Nullable R> change) {
        R found = rows.get(key);
        if (found == null || !which.test(found)) {
            return false;
        }
        replace(key, change.apply(found));
        return true;
    }

    private void removeOver() {
        long now = time.nanoTime();
        for (Noted<K> next = noted.peek(); next != null && next.overAt - now <= 0; next = noted.peek()) {
            noted.remove();
            R row = rows.get(next.key);
            if (row != null && row.isOver(now)) {
                replace(next.key, null);
            }
        }
    }
}
