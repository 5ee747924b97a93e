package dev.resilience.idempotency.store;

import dev.resilience.idempotency.store.Claim.Acquired;
import dev.resilience.idempotency.store.MemoryRecord.Done;
import dev.resilience.idempotency.store.MemoryRecord.Executed;
import dev.resilience.idempotency.store.MemoryRecord.Running;
import dev.resilience.idempotency.store.RecordSummary.State;
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
 * <p>Bounded: a result stays for its time to live, and no other one takes its place. When records hold as many bytes as
 * they may, which is estimated, a claim of a new key throws an {@link IllegalStateException} until others are over, so
 * that the call is not made. The calls that run are always renewed, and their results stored, beyond the bound if need be.
 * What is over is swept up from time to time. A replay takes no lock. Safe for use by many threads.
 */
public final class MemoryIdempotencyStore implements IdempotencyStore {

    /** How many bytes records hold at the most unless told otherwise: {@value}, which are 64 MiB. */
    public static final long DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

    private final TimeSource time;
    private final MemoryRecords records;
    private final AtomicLong fences = new AtomicLong();

    public MemoryIdempotencyStore(TimeSource time) {
        this(time, DEFAULT_MAX_BYTES);
    }

    /**
     * @param maxBytes how many bytes records hold at the most, about
     */
    public MemoryIdempotencyStore(TimeSource time, long maxBytes) {
        this.time = time;
        this.records = new MemoryRecords(time, maxBytes);
    }

    @Override
    public Claim claim(ClaimRequest request) {
        MemoryRecord known = records.get(request.key());
        Claim claim = known == null ? null : refuse(request, known, time.nanoTime());
        return claim == null ? take(request, known == null) : claim;
    }

    private Claim take(ClaimRequest request, boolean isNew) {
        if (isNew && !records.hasRoomFor(request)) {
            throw new IllegalStateException("The memory for idempotent calls is full, with " + records.size()
                    + " records of about " + records.bytes() + " bytes. At most " + records.maxBytes()
                    + " are allowed ('resilience.idempotency-store.memory.max-size'): raise the limit, keep results for a "
                    + "shorter time ('ttl'), or keep them in a database or in Redis");
        }
        Answer answer = new Answer();
        records.change(request.key(), found -> {
            Claim refused = found == null ? null : refuse(request, found, time.nanoTime());
            if (refused != null) {
                answer.claim = refused;
                return found;
            }
            long until = after(request.lease());
            Running next = found instanceof Running mine && mine.owner().equals(request.owner())
                    ? mine.until(until)
                    : new Running(
                            request.owner(),
                            fences.incrementAndGet(),
                            request.fingerprint(),
                            until,
                            request.takeOver());
            answer.claim = new Acquired(
                    new LeaseToken(request.key(), request.owner(), next.fence()),
                    found instanceof Running before && before.fence() != next.fence());
            return next;
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
        if (found instanceof Running running && running.owner().equals(request.owner())) {
            return null; // the answer to its first claim was lost
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
    public boolean renew(LeaseToken token, Duration lease) {
        return replace(token, mine -> mine.until(after(lease)));
    }

    @Override
    public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
        long until = after(ttl);
        return replace(token, mine -> new Done(mine.owner(), mine.fence(), mine.fingerprint(), result, until))
                || isCompletedBy(token);
    }

    /** As when the result is stored again, because the first answer was lost. */
    private boolean isCompletedBy(LeaseToken token) {
        return records.get(token.key()) instanceof Done done
                && done.owner().equals(token.owner())
                && done.fence() == token.fence();
    }

    @Override
    public boolean release(LeaseToken token) {
        return replace(token, mine -> null);
    }

    private boolean replace(LeaseToken token, Function<Running, @Nullable MemoryRecord> replacement) {
        Answer answer = new Answer();
        records.change(token.key(), found -> {
            if (found instanceof Running mine && mine.owner().equals(token.owner()) && mine.fence() == token.fence()) {
                answer.mine = true;
                return replacement.apply(mine);
            }
            return found;
        });
        return answer.mine;
    }

    /** How many bytes the records hold, about. */
    public long bytes() {
        return records.bytes();
    }

    /** How many bytes the records may hold. */
    public long maxBytes() {
        return records.maxBytes();
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

    /** What a change inside the map has to tell the outside. */
    private static final class Answer {

        @Nullable
        Claim claim;

        boolean mine;
    }
}
