package dev.resilience.idempotency;

import dev.resilience.idempotency.Claim.Acquired;
import dev.resilience.idempotency.MemoryRecord.Done;
import dev.resilience.idempotency.MemoryRecord.Executed;
import dev.resilience.idempotency.MemoryRecord.Running;
import dev.resilience.idempotency.RecordSummary.State;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps records in this process: for tests and for applications that run once. Its records do not outlive the process.
 *
 * <p>Bounded: beyond the limit the oldest results are dropped, with a warning if their time had not come; a record in
 * progress never is. What has expired is swept up from time to time. A replay takes no lock.
 */
public final class MemoryIdempotencyStore implements IdempotencyStore {

    /** How many results are kept unless told otherwise. */
    public static final int DEFAULT_MAX_RESULTS = 100_000;

    private final TimeSource time;
    private final MemoryRecords records;
    private final AtomicLong numbers = new AtomicLong();

    public MemoryIdempotencyStore(TimeSource time) {
        this(time, DEFAULT_MAX_RESULTS);
    }

    /**
     * @param maxResults how many results are kept at the most
     */
    public MemoryIdempotencyStore(TimeSource time, int maxResults) {
        this.time = time;
        this.records = new MemoryRecords(time, maxResults);
    }

    @Override
    public Claim claim(ClaimRequest request) {
        MemoryRecord known = records.get(request.key());
        Claim claim = known == null ? null : refuse(request, known, time.nanoTime());
        return claim == null ? take(request) : claim;
    }

    private Claim take(ClaimRequest request) {
        Answer answer = new Answer();
        records.change(request.key(), found -> {
            Claim refused = found == null ? null : refuse(request, found, time.nanoTime());
            if (refused != null) {
                answer.claim = refused;
                return found;
            }
            Ownership ownership = new Ownership(request.key(), request.owner(), numbers.incrementAndGet());
            answer.claim = new Acquired(ownership, found instanceof Running);
            return new Running(request.owner(), request.fingerprint(), after(request.lease()), request.takeOver());
        });
        if (answer.claim == null) {
            throw new IllegalStateException("The map changed nothing");
        }
        return answer.claim;
    }

    /** Returns {@code null} if the key can be had. */
    private static @Nullable Claim refuse(ClaimRequest request, MemoryRecord found, long now) {
        if (found instanceof Done done && done.isOver(now)) {
            return null;
        }
        if (!request.hasArgumentsOf(found.fingerprint())) {
            return new Claim.KeyReused();
        }
        if (found instanceof Done done) {
            return new Claim.Completed(done.result());
        }
        if (found instanceof Executed) {
            return new Claim.Executed();
        }
        Duration leaseLeft = found.left(now);
        if (leaseLeft != null) {
            return new Claim.InProgress(leaseLeft);
        }
        return request.takeOver() ? null : new Claim.Abandoned();
    }

    @Override
    public boolean renew(Ownership ownership, Duration lease) {
        return replace(ownership, mine -> new Running(mine.owner(), mine.fingerprint(), after(lease), mine.takeOver()));
    }

    @Override
    public boolean complete(Ownership ownership, StoredResult result, Duration ttl) {
        return replace(ownership, mine -> new Done(numbers.incrementAndGet(), mine.fingerprint(), result, after(ttl)));
    }

    @Override
    public boolean release(Ownership ownership) {
        return replace(ownership, mine -> null);
    }

    private boolean replace(Ownership ownership, Replacement replacement) {
        Answer answer = new Answer();
        records.change(ownership.key(), found -> {
            if (found instanceof Running mine && mine.owner().equals(ownership.owner())) {
                answer.mine = true;
                return replacement.of(mine);
            }
            return found;
        });
        return answer.mine;
    }

    /** The number of records, in progress and completed. */
    public int size() {
        return records.size();
    }

    @Override
    public List<RecordSummary> find(RecordSelection selection) {
        long now = time.nanoTime();
        return records.selected(selection)
                .filter(found -> !found.getValue().isOver(now))
                .map(found -> summary(found.getKey(), found.getValue(), now))
                .toList();
    }

    private static RecordSummary summary(RecordKey key, MemoryRecord record, long now) {
        return new RecordSummary(key.operation(), key.callerHash(), record.state(now), record.left(now));
    }

    @Override
    public int resolve(RecordSelection selection, boolean executed) {
        return change(
                selection,
                state -> state == State.ABANDONED,
                found -> executed ? new Executed(found.fingerprint()) : null);
    }

    @Override
    public int delete(RecordSelection selection) {
        return change(selection, state -> state != State.IN_PROGRESS, found -> null);
    }

    private int change(
            RecordSelection selection,
            Predicate<State> condition,
            Function<MemoryRecord, @Nullable MemoryRecord> change) {
        long now = time.nanoTime();
        return (int) records.selected(selection)
                .filter(found -> condition.test(found.getValue().state(now)))
                .filter(found -> records.change(found.getKey(), found.getValue(), change.apply(found.getValue())))
                .count();
    }

    private long after(Duration duration) {
        long left = Long.MAX_VALUE / 2; // so that a difference of two times never overflows
        return time.nanoTime() + Math.min(left, Durations.toNanos(duration));
    }

    @FunctionalInterface
    private interface Replacement {

        @Nullable
        MemoryRecord of(Running mine);
    }

    /** What a change inside the map has to tell the outside. */
    private static final class Answer {

        @Nullable
        Claim claim;

        boolean mine;
    }
}
