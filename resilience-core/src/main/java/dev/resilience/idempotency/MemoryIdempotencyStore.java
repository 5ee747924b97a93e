package dev.resilience.idempotency;

import dev.resilience.idempotency.Claim.Abandoned;
import dev.resilience.idempotency.Claim.Acquired;
import dev.resilience.idempotency.Claim.Completed;
import dev.resilience.idempotency.Claim.InProgress;
import dev.resilience.idempotency.Claim.KeyReused;
import dev.resilience.idempotency.RecordSummary.State;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
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
 * Keeps records in this process: for tests and for applications that run once. Its records do not outlive the process.
 *
 * <p>Bounded: beyond the limit the oldest results are dropped, with a warning if their time had not come; a record in
 * progress never is. What has expired is swept up from time to time.
 */
public final class MemoryIdempotencyStore implements IdempotencyStore {

    /** How many results are kept unless told otherwise. */
    public static final int DEFAULT_MAX_RESULTS = 100_000;

    private static final Logger log = LoggerFactory.getLogger(MemoryIdempotencyStore.class);
    private static final long LONG_DEAD = Duration.ofHours(1).toNanos();
    private static final int FEWEST_CLAIMS_BETWEEN_SWEEPS = 1_000;

    private final TimeSource time;
    private final int maxResults;
    private final ConcurrentMap<RecordKey, Entry> records = new ConcurrentHashMap<>();
    private final AtomicLong results = new AtomicLong();
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicLong claimsSinceSweep = new AtomicLong();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final AtomicBoolean dropReported = new AtomicBoolean();

    public MemoryIdempotencyStore(TimeSource time) {
        this(time, DEFAULT_MAX_RESULTS);
    }

    /**
     * @param maxResults how many results are kept at the most
     */
    public MemoryIdempotencyStore(TimeSource time, int maxResults) {
        this.time = time;
        this.maxResults = maxResults;
    }

    @Override
    public Claim claim(ClaimRequest request) {
        Answer answer = new Answer();
        records.compute(request.key(), (key, found) -> {
            answer.claim = decide(request, found);
            if (!(answer.claim instanceof Acquired acquired)) {
                return found;
            }
            forget(found);
            return running(acquired.ownership(), request);
        });
        if (claimsSinceSweep.incrementAndGet() > Math.max(FEWEST_CLAIMS_BETWEEN_SWEEPS, records.size() / 2)) {
            sweep();
        }
        Claim claim = answer.claim;
        if (claim == null) {
            throw new IllegalStateException("compute did not compute");
        }
        return claim;
    }

    private Claim decide(ClaimRequest request, @Nullable Entry found) {
        long now = time.nanoTime();
        if (found == null || (found instanceof Done done && done.isOver(now))) {
            return new Acquired(newOwnership(request), false);
        }
        if (!request.hasArgumentsOf(found.fingerprint())) {
            return new KeyReused();
        }
        if (found instanceof Done done) {
            return new Completed(done.result());
        }
        if (found instanceof Executed) {
            return new Claim.Executed();
        }
        long leaseLeft = ((Running) found).leaseUntil() - now;
        if (leaseLeft > 0) {
            return new InProgress(Duration.ofNanos(leaseLeft));
        }
        return request.takeOver() ? new Acquired(newOwnership(request), true) : new Abandoned();
    }

    @Override
    public boolean renew(Ownership ownership, Duration lease) {
        return replace(ownership, mine -> new Running(mine.owner(), mine.fingerprint(), after(lease), mine.takeOver()));
    }

    @Override
    public boolean complete(Ownership ownership, StoredResult result, Duration ttl) {
        boolean completed =
                replace(ownership, mine -> new Done(numbers.incrementAndGet(), mine.fingerprint(), result, after(ttl)));
        if (completed && results.incrementAndGet() > maxResults) {
            sweep();
        }
        return completed;
    }

    @Override
    public boolean release(Ownership ownership) {
        return replace(ownership, mine -> null);
    }

    /** The number of records, in progress and completed. */
    public int size() {
        return records.size();
    }

    @Override
    public List<RecordSummary> find(RecordSelection selection) {
        long now = time.nanoTime();
        return selected(selection)
                .filter(record -> !record.getValue().isOver(now))
                .map(record -> summary(record.getKey(), record.getValue(), now))
                .toList();
    }

    @Override
    public int resolve(RecordSelection selection, boolean executed) {
        long now = time.nanoTime();
        return (int) selected(selection)
                .filter(record -> state(record.getValue(), now) == State.ABANDONED)
                .filter(record -> resolve(record.getKey(), record.getValue(), executed))
                .count();
    }

    @Override
    public int delete(RecordSelection selection) {
        long now = time.nanoTime();
        return (int) selected(selection)
                .filter(record -> state(record.getValue(), now) != State.IN_PROGRESS)
                .filter(record -> remove(record.getKey(), record.getValue()))
                .count();
    }

    private boolean resolve(RecordKey key, Entry abandoned, boolean executed) {
        return executed
                ? records.replace(key, abandoned, new Executed(abandoned.fingerprint()))
                : remove(key, abandoned);
    }

    private static State state(Entry entry, long now) {
        if (entry instanceof Running running) {
            return running.leaseUntil() - now > 0 ? State.IN_PROGRESS : State.ABANDONED;
        }
        return entry instanceof Done ? State.COMPLETED : State.EXECUTED;
    }

    private static RecordSummary summary(RecordKey key, Entry entry, long now) {
        State state = state(entry, now);
        Duration left = switch (state) {
            case IN_PROGRESS -> Duration.ofNanos(((Running) entry).leaseUntil() - now);
            case COMPLETED -> Duration.ofNanos(((Done) entry).until() - now);
            case ABANDONED, EXECUTED -> null;
        };
        return new RecordSummary(key.operation(), key.callerHash(), state, left);
    }

    /** Looks at every record: an operator has the time. */
    private Stream<Map.Entry<RecordKey, Entry>> selected(RecordSelection selection) {
        return records.entrySet().stream().filter(record -> record.getKey().isAmong(selection));
    }

    private boolean replace(Ownership ownership, Replacement replacement) {
        Answer answer = new Answer();
        records.computeIfPresent(ownership.key(), (key, found) -> {
            answer.mine = found instanceof Running running && running.owner().equals(ownership.owner());
            return answer.mine ? replacement.of((Running) found) : found;
        });
        return answer.mine;
    }

    /** Removes what has expired and, beyond the limit, the oldest results; one thread at a time, the others go on. */
    private void sweep() {
        if (!sweeping.compareAndSet(false, true)) {
            return;
        }
        try {
            claimsSinceSweep.set(0);
            long now = time.nanoTime();
            records.forEach((key, entry) -> {
                if (entry.isOver(now)) {
                    remove(key, entry);
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
            log.warn(
                    "More than {} results of idempotent calls are kept: the oldest are dropped before their time",
                    maxResults);
        }
        records.entrySet().stream()
                .filter(entry -> entry.getValue() instanceof Done)
                .sorted(Comparator.comparingLong(entry -> ((Done) entry.getValue()).number()))
                .limit(surplus + maxResults / 10L) // some more, so that the next one does not sweep again
                .forEach(entry -> remove(entry.getKey(), entry.getValue()));
    }

    private boolean remove(RecordKey key, Entry entry) {
        boolean removed = records.remove(key, entry);
        if (removed) {
            forget(entry);
        }
        return removed;
    }

    private void forget(@Nullable Entry entry) {
        if (entry instanceof Done) {
            results.decrementAndGet();
        }
    }

    private Ownership newOwnership(ClaimRequest request) {
        return new Ownership(request.key(), request.owner(), numbers.incrementAndGet());
    }

    private Running running(Ownership ownership, ClaimRequest request) {
        return new Running(ownership.owner(), request.fingerprint(), after(request.lease()), request.takeOver());
    }

    private long after(Duration duration) {
        long left = Long.MAX_VALUE / 2; // so that a difference of two times never overflows
        return time.nanoTime() + Math.min(left, Durations.toNanos(duration));
    }

    private sealed interface Entry {

        String fingerprint();

        /** Whether nothing would change for anybody if the entry were gone. */
        boolean isOver(long now);
    }

    private record Running(String owner, String fingerprint, long leaseUntil, boolean takeOver) implements Entry {

        /** An abandoned record that may be taken over is as good as none, once its owner will hardly come back. */
        @Override
        public boolean isOver(long now) {
            return takeOver && leaseUntil + LONG_DEAD - now <= 0;
        }
    }

    private record Done(long number, String fingerprint, StoredResult result, long until) implements Entry {

        @Override
        public boolean isOver(long now) {
            return until - now <= 0;
        }
    }

    private record Executed(String fingerprint) implements Entry {

        @Override
        public boolean isOver(long now) {
            return false;
        }
    }

    @FunctionalInterface
    private interface Replacement {

        @Nullable
        Entry of(Running mine);
    }

    /** What a computation inside the map has to tell the outside. */
    private static final class Answer {

        @Nullable
        Claim claim;

        boolean mine;
    }
}
