package dev.resilience.idempotency;

import dev.resilience.idempotency.Claim.Abandoned;
import dev.resilience.idempotency.Claim.Acquired;
import dev.resilience.idempotency.Claim.Completed;
import dev.resilience.idempotency.Claim.InProgress;
import dev.resilience.idempotency.Claim.KeyReused;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps records in this process: for tests and for applications that run once. Its records do not outlive the process.
 *
 * <p>Bounded: beyond the limit the oldest results are dropped, records in progress never.
 */
public final class MemoryIdempotencyStore implements IdempotencyStore {

    /** How many results are kept unless told otherwise. */
    public static final int DEFAULT_MAX_RESULTS = 100_000;

    private final TimeSource time;
    private final int maxResults;
    private final ConcurrentMap<String, Entry> records = new ConcurrentHashMap<>();
    private final Queue<Done> results = new ConcurrentLinkedQueue<>();
    private final AtomicLong resultCount = new AtomicLong();
    private final AtomicLong fences = new AtomicLong();

    public MemoryIdempotencyStore(TimeSource time) {
        this(time, DEFAULT_MAX_RESULTS);
    }

    public MemoryIdempotencyStore(TimeSource time, int maxResults) {
        this.time = time;
        this.maxResults = maxResults;
    }

    @Override
    public Claim claim(ClaimRequest request) {
        Answer answer = new Answer();
        records.compute(request.id(), (id, found) -> {
            answer.claim = decide(request, found);
            return answer.claim instanceof Acquired acquired ? running(acquired.ownership(), request) : found;
        });
        Claim claim = answer.claim;
        if (claim == null) {
            throw new IllegalStateException("compute did not compute");
        }
        return claim;
    }

    private Claim decide(ClaimRequest request, @Nullable Entry found) {
        long now = time.nanoTime();
        if (found == null || (found instanceof Done done && done.until - now <= 0)) {
            return new Acquired(newOwnership(request), false);
        }
        if (!request.fingerprint().equals(found.fingerprint())) {
            return new KeyReused();
        }
        if (found instanceof Done done) {
            return new Completed(done.result);
        }
        long leaseLeft = ((Running) found).leaseUntil - now;
        if (leaseLeft > 0) {
            return new InProgress(Duration.ofNanos(leaseLeft));
        }
        return request.takeOver() ? new Acquired(newOwnership(request), true) : new Abandoned();
    }

    @Override
    public boolean renew(Ownership ownership, Duration lease) {
        return replace(ownership, mine -> new Running(mine.owner, mine.fingerprint, after(lease)));
    }

    @Override
    public boolean complete(Ownership ownership, StoredResult result, Duration ttl) {
        boolean completed = replace(ownership, mine -> {
            Done done = new Done(ownership.id(), mine.fingerprint, result, after(ttl));
            results.add(done);
            return done;
        });
        if (completed) {
            resultCount.incrementAndGet();
            dropOldResults();
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

    private boolean replace(Ownership ownership, Replacement replacement) {
        Answer answer = new Answer();
        records.computeIfPresent(ownership.id(), (id, found) -> {
            answer.mine = found instanceof Running running && running.owner.equals(ownership.owner());
            return answer.mine ? replacement.of((Running) found) : found;
        });
        return answer.mine;
    }

    private void dropOldResults() {
        long now = time.nanoTime();
        for (Done oldest = results.peek(); oldest != null; oldest = results.peek()) {
            boolean expired = oldest.until - now <= 0;
            if (!expired && resultCount.get() <= maxResults) {
                return;
            }
            if (results.remove(oldest)) {
                resultCount.decrementAndGet();
                records.remove(oldest.id, oldest);
            }
        }
    }

    private Ownership newOwnership(ClaimRequest request) {
        return new Ownership(request.id(), request.owner(), fences.incrementAndGet());
    }

    private Running running(Ownership ownership, ClaimRequest request) {
        return new Running(ownership.owner(), request.fingerprint(), after(request.lease()));
    }

    private long after(Duration duration) {
        long left = Long.MAX_VALUE / 2; // so that a difference of two times never overflows
        return time.nanoTime() + Math.min(left, Durations.toNanos(duration));
    }

    private sealed interface Entry {

        String fingerprint();
    }

    private record Running(String owner, String fingerprint, long leaseUntil) implements Entry {}

    /** Compared by identity: one result is one entry of the queue. */
    private static final class Done implements Entry {

        final String id;
        final String fingerprint;
        final StoredResult result;
        final long until;

        Done(String id, String fingerprint, StoredResult result, long until) {
            this.id = id;
            this.fingerprint = fingerprint;
            this.result = result;
            this.until = until;
        }

        @Override
        public String fingerprint() {
            return fingerprint;
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
