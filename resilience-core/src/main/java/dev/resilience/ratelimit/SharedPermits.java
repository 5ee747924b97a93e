package dev.resilience.ratelimit;

import dev.resilience.time.Durations;
import dev.resilience.time.ShortLock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Permits that all processes share, from a store that counts them.
 *
 * <p>One question to the store is under way at a time; the calls that come meanwhile wait, and the next question is for all of
 * them. Where calls come often, a question takes a lease too: permits for the calls of the next {@value #LEASED_MILLIS} ms, which
 * then cost one compare-and-set each. Half of it gone, the next one is fetched. The leases of all processes together are at most a
 * {@value #LEASED_PART}th of the burst, and what is not used within a period, or a second if that is shorter, is lost. So no
 * window has more calls than {@code burst + t · permits / period} and that tenth. Where calls come seldom, or the burst is small,
 * there is no lease.
 *
 * <p>A store that had no permit left says when one comes; until then calls are refused without a question. After a lease that was
 * cut short there is none before another lease can be there.
 */
final class SharedPermits implements Permits {

    private static final int LEASED_PART = 10;
    private static final long LEASED_MILLIS = 400;
    private static final long LEASED = Duration.ofMillis(LEASED_MILLIS).toNanos();
    private static final long MEASURED = LEASED / 4;
    private static final long MAX_LEASE = Duration.ofSeconds(1).toNanos();
    private static final long MAX_REST = Duration.ofMillis(100).toNanos();
    private static final long AGAIN = Long.MAX_VALUE;

    private final SharedLimit limit;
    private final @Nullable String key;
    private final OutageShare share;
    private final AtomicLong leased = new AtomicLong();
    private volatile long leaseEnd;
    private volatile int lease;
    private volatile long emptyUntil;
    private volatile RateLimitPolicy policy;
    private volatile double interval; // in nanoseconds, and so is the time of all permits:
    private volatile double burst;

    private final ShortLock lock = new ShortLock(); // for all that follows
    private final Queue<Waiter> waiters = new ArrayDeque<>();
    private boolean isAsking;
    private int asked;
    private int debt;
    private long handedOut; // by the last answer, with what was leased
    private long askedAt;

    /** A call that waits for an answer of the store. */
    private static final class Waiter extends CompletableFuture<Long> {

        private final long maxWait;

        Waiter(long maxWait) {
            this.maxWait = maxWait;
        }
    }

    SharedPermits(SharedLimit limit, @Nullable String key, RateLimitPolicy policy) {
        this.limit = limit;
        this.key = key;
        this.policy = policy;
        long now = limit.time.nanoTime();
        this.share = new OutageShare(limit);
        this.leaseEnd = now;
        this.askedAt = now;
        reconfigure(policy);
    }

    @Override
    public void reconfigure(RateLimitPolicy changed) {
        lock.get(() -> {
            policy = changed;
            interval = (double) Durations.toNanos(changed.period()) / changed.permits();
            burst = interval * changed.capacity();
            emptyUntil = limit.time.nanoTime();
            handedOut -= leased.getAndSet(0);
            return true;
        });
    }

    @Override
    public long acquire(long maxWaitNanos, boolean mayBlock) {
        long answer = AGAIN;
        while (answer == AGAIN) {
            long now = limit.time.nanoTime();
            long empty = emptyUntil - now;
            if (now - leaseEnd < 0 && takeLeased()) {
                answer = 0;
            } else if (limit.state.isDown()) {
                answer = withoutStore(now, maxWaitNanos);
            } else if (empty > maxWaitNanos) {
                answer = -empty;
            } else {
                answer = mayBlock ? await(new Waiter(maxWaitNanos)) : WOULD_BLOCK;
            }
        }
        return answer;
    }

    private boolean takeLeased() {
        long left = leased.get();
        while (left > 0 && !leased.compareAndSet(left, left - 1)) {
            left = leased.get();
        }
        if (left > 0 && left - 1 == lease / 2) {
            lock.get(this::ask);
        }
        return left > 0;
    }

    private long withoutStore(long now, long maxWait) {
        if (limit.isProbeDue(now)) {
            lock.get(this::ask);
        }
        limit.withoutStore.incrementAndGet();
        return switch (policy.onStoreFailure()) {
            case OPEN -> 0;
            case CLOSED -> -Duration.ofSeconds(1).toNanos();
            case SHARE -> share.acquire(interval, burst, now, maxWait);
        };
    }

    private long await(Waiter waiter) {
        lock.get(() -> waiters.add(waiter) && ask());
        try {
            return waiter.get();
        } catch (InterruptedException | ExecutionException interrupted) { // never the latter
            Thread.currentThread().interrupt();
            return waiter.complete(-1L) ? -1 : waiter.join();
        }
    }

    /** Asks the store, unless that is under way; after the rest. */
    private boolean ask() {
        if (!isAsking) {
            isAsking = true;
            long rest = lease > 0 ? Math.min(MAX_REST, emptyUntil - limit.time.nanoTime()) : 0;
            limit.ask(Math.max(0, rest), () -> lock.get(this::request), this::answered);
        }
        return true;
    }

    private RateLimitStore.Request request() {
        long now = limit.time.nanoTime();
        double used = (double) (handedOut - leased.get()) * LEASED / Math.max(MEASURED, now - askedAt);
        int most = policy.capacity() / LEASED_PART / limit.nodes;
        int wished = (int) Math.min(used, most);
        lease = wished < 2 ? 0 : wished;
        askedAt = now;
        int ahead = (int) Math.max(0, lease - leased());
        asked = waiters.size() + ahead;
        debt = share.debt();
        long wait = waiters.stream().mapToLong(waiter -> waiter.maxWait).max().orElse(0);
        long longest = (long) (2 * burst) / 1_000 + Durations.toNanos(policy.maxWait()) / 1_000;
        return new RateLimitStore.Request(
                limit.name, key, interval / 1e3, burst / 1e3, longest, waiters.size(), ahead, wait / 1_000, debt);
    }

    /** @param answer {@code null} if there is none */
    private void answered(RateLimitStore.@Nullable Answer answer) {
        lock.get(() -> {
            isAsking = false;
            if (answer != null) {
                take(answer, limit.time.nanoTime());
            }
            waiters.forEach(waiter -> waiter.complete(AGAIN));
            waiters.clear();
            return true;
        });
    }

    private void take(RateLimitStore.Answer answer, long now) {
        share.paid(debt);
        double backlog = answer.backlog() * 1e3;
        int given = 0;
        for (Waiter next = waiters.peek(); next != null && given < answer.granted(); next = waiters.peek()) {
            waiters.poll();
            long wait = (long) Math.max(0, backlog + (given + 1) * interval - burst);
            boolean isInTime = wait <= next.maxWait;
            given += next.complete(isInTime ? wait : -wait) && isInTime ? 1 : 0;
        }
        if (now - leaseEnd >= 0) {
            leased.set(0);
        }
        double free = Math.min(answer.granted(), Math.floor((burst - backlog) / interval + 1e-3));
        handedOut = given + leased.addAndGet((long) Math.max(0, free - given));
        leaseEnd = now + Math.min(MAX_LEASE, Durations.toNanos(policy.period()));
        double rest = lease > 0 && answer.granted() < asked ? Math.min((double) MAX_REST, burst / LEASED_PART) : 0;
        emptyUntil = now + (long) Math.max(rest, backlog + (answer.granted() + 1) * interval - burst);
    }

    /** Permits for calls to come. */
    long leased() {
        return limit.time.nanoTime() - leaseEnd < 0 ? leased.get() : 0;
    }

    @Override
    public double available() {
        return Double.NaN;
    }
}
