package dev.resilience.idempotency.store;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
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

    private static final int MIN_ADDED_BETWEEN_SWEEPS = 1_000;
    private static final long PAUSE_BETWEEN_SWEEPS_WHEN_FULL =
            Duration.ofSeconds(1).toNanos();

    private final TimeSource time;
    private final long maxBytes;
    private final String full;
    private final Map<K, R> rows = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private int addedSinceSweep;
    private long lastSweepWhenFull;

    /** One row. */
    public interface Row {

        /** The bytes of what is stored, keys included. */
        long bytes();

        /** Whether no caller would notice if the row were gone. */
        boolean isOver(long now);
    }

    /**
     * @param maxBytes how many bytes rows hold at the most
     * @param full what a full store answers: a text with three places, for the rows that there are, their bytes and the limit
     */
    public LeasedRows(TimeSource time, long maxBytes, String full) {
        this.time = time;
        this.maxBytes = maxBytes;
        this.full = full;
        this.lastSweepWhenFull = time.nanoTime() - PAUSE_BETWEEN_SWEEPS_WHEN_FULL;
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
        return bytes.get();
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
     * @throws IllegalStateException if there is no room for it, also without the rows that are over
     */
    public void add(K key, R row) {
        if (bytes() + row.bytes() > maxBytes && time.nanoTime() - lastSweepWhenFull >= PAUSE_BETWEEN_SWEEPS_WHEN_FULL) {
            lastSweepWhenFull = time.nanoTime();
            sweep();
        }
        if (bytes() + row.bytes() > maxBytes) {
            throw new IllegalStateException(String.format(full, rows.size(), bytes(), maxBytes));
        }
        replace(key, row);
        if (++addedSinceSweep > Math.max(MIN_ADDED_BETWEEN_SWEEPS, rows.size() / 2)) {
            sweep();
        }
    }

    /** Puts a row in the place of the one that is there, beyond the bound if need be; {@code null} removes that. */
    public void replace(K key, @Nullable R row) {
        R before = row == null ? rows.remove(key) : rows.put(key, row);
        bytes.addAndGet((row == null ? 0 : row.bytes()) - (before == null ? 0 : before.bytes()));
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

    private void sweep() {
        addedSinceSweep = 0;
        long now = time.nanoTime();
        rows.forEach((key, row) -> {
            if (row.isOver(now)) {
                replace(key, null);
            }
        });
    }
}
