package dev.resilience.idempotency.store;

import dev.resilience.idempotency.store.Claim.Acquired;
import dev.resilience.idempotency.store.RecordSummary.State;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps records in this process: for tests and for applications that run once. Its records do not outlive the process.
 *
 * <p>Bounded: a result stays for its time to live, and no other one takes its place. When keys, owners, fingerprints and
 * results hold as many bytes as they may, a claim of a new key throws an {@link IllegalStateException} until others are
 * over, so that the call is not made. The calls that run are always renewed, and their results stored, beyond the bound if
 * need be. What is over is removed before a new key is refused. Each policy has a share that no other one takes. A replay takes
 * no lock. Safe for use by many threads.
 */
public final class MemoryIdempotencyStore implements IdempotencyStore {

    /** How many bytes records hold at the most unless told otherwise: {@value}, which are 64 MiB. */
    public static final long DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

    private static final long LONG_DEAD = Duration.ofHours(1).toNanos();

    private final TimeSource time;
    final LeasedRows<RecordKey, Row> records;
    private final Map<String, String> policies = new HashMap<>(); // by operation
    private long fences;

    public MemoryIdempotencyStore(TimeSource time) {
        this(time, DEFAULT_MAX_BYTES);
    }

    /**
     * @param maxBytes how many bytes keys, owners, fingerprints and results hold at the most
     */
    public MemoryIdempotencyStore(TimeSource time, long maxBytes) {
        this.time = time;
        this.records = new LeasedRows<>(
                time,
                maxBytes,
                "The memory for idempotent calls is full, with %s records of %s bytes. At most %s are allowed "
                        + "('resilience.idempotency-store.memory.max-size'), half of them in equal shares for the policies: "
                        + "raise the limit, keep results for a shorter time ('ttl'), or keep them in a database or in Redis");
    }

    /** Keeps a share of the memory for the records of a policy, of which this operation's are. */
    public synchronized void keepShare(String operation, String policy) {
        policies.put(operation, policy);
        records.keepShare(policy);
    }

    /**
     * A record.
     *
     * @param share the policy, which has a share of the memory
     * @param takeOver whether it may be taken over once it is abandoned
     * @param state in progress, also if it is abandoned by now, completed or executed
     * @param result of a completed one
     * @param until the end of the lease, or of the result's time to live, by {@link TimeSource#nanoTime()}
     */
    private record Row(
            RecordKey key,
            String share,
            String owner,
            long fence,
            String fingerprint,
            boolean takeOver,
            State state,
            @Nullable StoredResult result,
            long until)
            implements LeasedRows.Row {

        Row next(State next, @Nullable StoredResult with, long endsAt) {
            return new Row(key, share, owner, fence, fingerprint, takeOver, next, with, endsAt);
        }

        boolean isOf(LeaseToken token) {
            return fence == token.fence() && owner.equals(token.owner());
        }

        State state(long now) {
            return state == State.IN_PROGRESS && until - now <= 0 ? State.ABANDONED : state;
        }

        /** Until the lease ends or the result is forgotten; {@code null} where neither will happen. */
        @Nullable
        Duration left(long now) {
            State current = state(now);
            return current == State.ABANDONED || current == State.EXECUTED ? null : Duration.ofNanos(until - now);
        }

        /** An abandoned one that may be taken over is as good as none, once its owner will hardly come back. */
        @Override
        public @Nullable Long overAt() {
            if (state == State.COMPLETED) {
                return until;
            }
            return state != State.EXECUTED && takeOver ? until + LONG_DEAD : null;
        }

        /** The bytes of its texts, of which the owner's and the fingerprint's characters take one each, and of its result. */
        @Override
        public long bytes() {
            return (long) key.bytes()
                    + owner.length()
                    + fingerprint.length()
                    + (result == null ? 0 : result.content().length);
        }
    }

    @Override
    public Claim claim(ClaimRequest request) {
        Row known = records.get(request.key());
        Claim refused = known == null ? null : refuse(request, known, time.nanoTime());
        return refused == null ? take(request) : refused;
    }

    private synchronized Claim take(ClaimRequest request) {
        RecordKey key = request.key();
        Row found = records.get(key);
        if (found == null) {
            Row added = acquired(request);
            records.add(key, added);
            return new Acquired(new LeaseToken(key, request.owner(), added.fence()), false);
        }
        Claim refused = refuse(request, found, time.nanoTime());
        if (refused != null) {
            return refused;
        }
        boolean wasRunning = found.state() == State.IN_PROGRESS;
        boolean again = wasRunning && found.owner().equals(request.owner());
        Row next = again ? found.next(State.IN_PROGRESS, null, records.after(request.lease())) : acquired(request);
        records.replace(key, next);
        return new Acquired(new LeaseToken(key, request.owner(), next.fence()), wasRunning && !again);
    }

    private Row acquired(ClaimRequest request) {
        return new Row(
                request.key(),
                policies.getOrDefault(request.key().operation(), ""),
                request.owner(),
                ++fences,
                request.fingerprint(),
                request.takeOver(),
                State.IN_PROGRESS,
                null,
                records.after(request.lease()));
    }

    /** Returns {@code null} if the key can be had. */
    private static @Nullable Claim refuse(ClaimRequest request, Row found, long now) {
        State state = found.state(now);
        boolean isMine = found.state() == State.IN_PROGRESS && found.owner().equals(request.owner());
        if (isMine || (state == State.COMPLETED && found.isOver(now))) {
            return null; // mine if the answer to its first claim was lost
        }
        if (!request.hasArgumentsOf(found.fingerprint())) {
            return new Claim.KeyReused();
        }
        return switch (state) {
            case COMPLETED -> new Claim.Completed(Objects.requireNonNull(found.result()));
            case EXECUTED -> new Claim.Executed();
            case IN_PROGRESS -> new Claim.InProgress(Duration.ofNanos(found.until() - now));
            case ABANDONED -> request.takeOver() ? null : new Claim.Abandoned();
        };
    }

    @Override
    public boolean renew(LeaseToken token, Duration lease) {
        return change(token, mine -> mine.next(State.IN_PROGRESS, null, records.after(lease)));
    }

    @Override
    public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
        if (change(token, mine -> mine.next(State.COMPLETED, result, records.after(ttl)))) {
            return true;
        }
        Row found = records.get(token.key()); // completed if the first answer was lost
        return found != null && found.state() == State.COMPLETED && found.isOf(token);
    }

    @Override
    public boolean release(LeaseToken token) {
        return change(token, mine -> null);
    }

    private synchronized boolean change(LeaseToken token, Function<Row, @Nullable Row> change) {
        return records.change(token.key(), found -> found.state() == State.IN_PROGRESS && found.isOf(token), change);
    }

    /** How many bytes keys, owners, fingerprints and results hold. */
    public long bytes() {
        return records.bytes();
    }

    /** How many bytes they may hold. */
    public long maxBytes() {
        return records.maxBytes();
    }

    /** The number of records, in progress and completed. */
    public int size() {
        return records.all().size();
    }

    @Override
    public List<RecordSummary> find(RecordSelection selection) {
        List<RecordSummary> found = new ArrayList<>();
        long now = time.nanoTime();
        records.all().forEach((key, record) -> {
            if (key.isAmong(selection) && !record.isOver(now)) {
                found.add(new RecordSummary(key.operation(), key.callerHash(), record.state(now), record.left(now)));
            }
        });
        return List.copyOf(found);
    }

    @Override
    public int resolve(RecordSelection selection, boolean executed) {
        return change(
                selection,
                state -> state == State.ABANDONED,
                abandoned -> executed ? abandoned.next(State.EXECUTED, null, abandoned.until) : null);
    }

    @Override
    public int delete(RecordSelection selection) {
        return change(selection, state -> state != State.IN_PROGRESS, any -> null);
    }

    private synchronized int change(
            RecordSelection selection, Predicate<State> of, Function<Row, @Nullable Row> change) {
        long now = time.nanoTime();
        int changed = 0;
        for (Row record : records.all().values()) {
            if (record.key().isAmong(selection) && of.test(record.state(now))) {
                records.replace(record.key(), change.apply(record));
                changed++;
            }
        }
        return changed;
    }
}
