package dev.resilience.idempotency.store;

import dev.resilience.idempotency.store.MemoryRecord.Running;
import dev.resilience.log.LogLine;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A map of records that knows about how many bytes they hold, and in which no record stays that is over.
 *
 * <p>It is swept when it may have grown by half, so that a change costs the same however many records there are, and when
 * it is full, at most once a second. Safe for use by many threads.
 */
final class MemoryRecords {

    private static final Logger log = LoggerFactory.getLogger(MemoryIdempotencyStore.class);
    private static final LogLine NEARLY_FULL = LogLine.warn("idempotency_memory_nearly_full");
    private static final int FEWEST_CHANGES_BETWEEN_SWEEPS = 1_000;
    private static final long PAUSE_BETWEEN_SWEEPS = Duration.ofSeconds(1).toNanos();

    private final TimeSource time;
    private final long maxBytes;
    private final ConcurrentMap<RecordKey, MemoryRecord> records = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong changesSinceSweep = new AtomicLong();
    private final AtomicLong lastSweep;
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final AtomicBoolean reported = new AtomicBoolean();

    MemoryRecords(TimeSource time, long maxBytes) {
        this.time = time;
        this.maxBytes = maxBytes;
        this.lastSweep = new AtomicLong(time.nanoTime() - PAUSE_BETWEEN_SWEEPS);
    }

    int size() {
        return records.size();
    }

    long bytes() {
        return bytes.get();
    }

    long maxBytes() {
        return maxBytes;
    }

    @Nullable
    MemoryRecord get(RecordKey key) {
        return records.get(key);
    }

    /** Whether there is room for another record, perhaps because others are over and make it. */
    boolean hasRoomFor(ClaimRequest another) {
        long needed = another.key().bytes() + Running.bytesOf(another.owner(), another.fingerprint());
        if (bytes.get() + needed <= maxBytes) {
            return true;
        }
        long last = lastSweep.get();
        long now = time.nanoTime();
        if (now - last >= PAUSE_BETWEEN_SWEEPS && lastSweep.compareAndSet(last, now)) {
            sweep();
        }
        return bytes.get() + needed <= maxBytes;
    }

    /** Replaces a record by what the change makes of it, {@code null} for none. Atomic for each record. */
    void change(RecordKey key, UnaryOperator<@Nullable MemoryRecord> change) {
        records.compute(key, (same, found) -> {
            MemoryRecord next = change.apply(found);
            count(key, found, next);
            return next;
        });
        if (changesSinceSweep.incrementAndGet() > Math.max(FEWEST_CHANGES_BETWEEN_SWEEPS, records.size() / 2)) {
            sweep();
        }
        if (bytes.get() > maxBytes / 5 * 4 && reported.compareAndSet(false, true)) {
            NEARLY_FULL
                    .in(log)
                    .addKeyValue("maxBytes", maxBytes)
                    .log(
                            "The results of idempotent calls in memory take more than four fifths of {} bytes. When they take "
                                    + "all, calls with new keys are refused. Raise the limit "
                                    + "('resilience.idempotency-store.memory.max-size'), keep results for a shorter time "
                                    + "('ttl'), or keep them in a database or in Redis",
                            maxBytes);
        }
    }

    /** Replaces or removes a record if it is still the one that was found. */
    boolean change(RecordKey key, MemoryRecord found, @Nullable MemoryRecord next) {
        boolean changed = next == null ? records.remove(key, found) : records.replace(key, found, next);
        if (changed) {
            count(key, found, next);
        }
        return changed;
    }

    private void count(RecordKey key, @Nullable MemoryRecord before, @Nullable MemoryRecord after) {
        if (before != after) {
            bytes.addAndGet(bytesOf(key, after) - bytesOf(key, before));
        }
    }

    private static long bytesOf(RecordKey key, @Nullable MemoryRecord record) {
        return record == null ? 0 : key.bytes() + record.bytes();
    }

    /** Looks at every record. */
    Stream<Map.Entry<RecordKey, MemoryRecord>> selected(RecordSelection selection) {
        return records.entrySet().stream().filter(record -> record.getKey().isAmong(selection));
    }

    /** Removes what is over; one thread at a time, the others go on. */
    private void sweep() {
        if (!sweeping.compareAndSet(false, true)) {
            return;
        }
        try {
            changesSinceSweep.set(0);
            long now = time.nanoTime();
            records.forEach((key, record) -> {
                if (record.isOver(now)) {
                    change(key, record, null);
                }
            });
            if (bytes.get() < maxBytes / 2) {
                reported.set(false);
            }
        } finally {
            sweeping.set(false);
        }
    }
}
