package dev.resilience.idempotency;

import dev.resilience.idempotency.MemoryRecord.Done;
import dev.resilience.log.LogLine;
import dev.resilience.time.TimeSource;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A map of records that never has more results than a limit for long, and in which nothing stays that is over.
 *
 * <p>It is swept when it may have grown by half, so that a change costs the same however many records there are. Safe for
 * use by many threads.
 */
final class MemoryRecords {

    private static final Logger log = LoggerFactory.getLogger(MemoryIdempotencyStore.class);
    private static final LogLine RESULTS_DROPPED = LogLine.warn("idempotency_results_dropped");
    private static final int FEWEST_CHANGES_BETWEEN_SWEEPS = 1_000;

    private final TimeSource time;
    private final int maxResults;
    private final ConcurrentMap<RecordKey, MemoryRecord> records = new ConcurrentHashMap<>();
    private final AtomicLong results = new AtomicLong();
    private final AtomicLong changesSinceSweep = new AtomicLong();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final AtomicBoolean dropReported = new AtomicBoolean();

    MemoryRecords(TimeSource time, int maxResults) {
        this.time = time;
        this.maxResults = maxResults;
    }

    int size() {
        return records.size();
    }

    @Nullable
    MemoryRecord get(RecordKey key) {
        return records.get(key);
    }

    /** Replaces a record by what the change makes of it, {@code null} for none. Atomic for each record. */
    void change(RecordKey key, Change change) {
        records.compute(key, (same, found) -> {
            MemoryRecord next = change.of(found);
            results.addAndGet(countOf(next) - countOf(found));
            return next;
        });
        if (results.get() > maxResults
                || changesSinceSweep.incrementAndGet() > Math.max(FEWEST_CHANGES_BETWEEN_SWEEPS, records.size() / 2)) {
            sweep();
        }
    }

    /** Replaces or removes a record if it is still the one that was found. */
    boolean change(RecordKey key, MemoryRecord found, @Nullable MemoryRecord next) {
        boolean changed = next == null ? records.remove(key, found) : records.replace(key, found, next);
        if (changed) {
            results.addAndGet(countOf(next) - countOf(found));
        }
        return changed;
    }

    private static int countOf(@Nullable MemoryRecord record) {
        return record instanceof Done ? 1 : 0;
    }

    /** Looks at every record. */
    Stream<Map.Entry<RecordKey, MemoryRecord>> selected(RecordSelection selection) {
        return records.entrySet().stream().filter(record -> record.getKey().isAmong(selection));
    }

    /** Removes what is over and, beyond the limit, the oldest results; one thread at a time, the others go on. */
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
            dropBeyondLimit();
        } finally {
            sweeping.set(false);
        }
    }

    private void dropBeyondLimit() {
        long surplus = results.get() - maxResults;
        if (surplus <= 0) {
            return;
        }
        if (dropReported.compareAndSet(false, true)) {
            RESULTS_DROPPED
                    .in(log)
                    .addKeyValue("maxResults", maxResults)
                    .log(
                            "More than {} results of idempotent calls are kept: the oldest are dropped before their time. "
                                    + "Logged once.",
                            maxResults);
        }
        records.entrySet().stream()
                .filter(entry -> entry.getValue() instanceof Done)
                .sorted(Comparator.comparingLong(entry -> ((Done) entry.getValue()).number()))
                .limit(surplus + maxResults / 10L) // some more, so that the next one does not sweep again
                .forEach(entry -> change(entry.getKey(), entry.getValue(), null));
    }

    /** What becomes of a record. */
    @FunctionalInterface
    interface Change {

        @Nullable
        MemoryRecord of(@Nullable MemoryRecord found);
    }
}
