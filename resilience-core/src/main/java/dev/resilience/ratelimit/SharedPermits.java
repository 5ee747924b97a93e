package dev.resilience.ratelimit;

import dev.resilience.context.Deadline;
import dev.resilience.pipeline.InterruptibleExecution;
import dev.resilience.time.Durations;
import dev.resilience.time.ShortLock;
import dev.resilience.time.TimeSource.Scheduled;
import dev.resilience.time.WorkerThreads;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Permits that all processes share, from a store that counts them.
 *
 * <p>One question to the store is under way at a time; the calls that come meanwhile wait, and the next question is for all of
 * them. Where calls come often, a question takes a lease too: permits for the calls of the next 400 ms, which then cost one
 * compare-and-set each. Half of it gone, the next one is fetched. The leases of all processes together are at most a
 * {@value #LEASED_PART}th of the burst, and what is not used within a period, or a second if that is shorter, is lost. So no
 * window has more calls than {@code burst + t · permits / period} and that tenth. Where calls come seldom, or the burst is small,
 * there is no lease.
 *
 * <p>A store that had no permit left says when one comes; until then calls are refused without a question. After a lease that was
 * cut short there is none before another lease can be there.
 *
 * <p>While the store is down, the part of this process is the n-th of rate and burst, by the generic cell rate algorithm. It begins
 * with no permit, because the other processes may have just used the burst. What the store has to be told then is counted by the same
 * algorithm, as if all permits had been there in the beginning; its clock stands at the last moment at which the store was seen to be
 * down, because since then others may have taken from it what comes back.
 */
final class SharedPermits implements Permits {

    private static final int LEASED_PART = 10;
    private static final long LEASED = Duration.ofMillis(400).toNanos();
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long MAX_REST = SECOND / 10;
    private static final long WITHOUT_STORE = Long.MAX_VALUE;

    private final SharedLimit limit;
    private final @Nullable String key;
    private final AtomicLong leased = new AtomicLong();
    private volatile long leaseEnd;
    private volatile int lease;
    private volatile long emptyUntil;
    private volatile RateLimitPolicy policy;

    private final ShortLock lock = new ShortLock(); // for all that follows
    private double interval; // in nanoseconds, and so is the time of all permits:
    private double burst;

    /** Calls that wait for an answer of the store, and how long each would wait for a permit. */
    private final Map<CompletableFuture<Long>, Long> waiters = new LinkedHashMap<>();

    private boolean isAsking;
    private int asked;
    private int debt;
    private long handedOut; // by the last answer, with what was leased
    private long askedAt;
    private long partBack; // when all permits of the part are
    private long debtBack; // when those are of which the store has to be told

    SharedPermits(SharedLimit limit, @Nullable String key, RateLimitPolicy policy) {
        this.limit = limit;
        this.key = key;
        this.policy = policy;
        this.askedAt = limit.failedAt; // or any other moment that is over
        this.partBack = askedAt;
        this.debtBack = askedAt;
        reconfigure(policy);
    }

    @Override
    public Permits reconfigure(RateLimitPolicy changed) {
        return lock.get(() -> {
            policy = changed;
            interval = (double) Durations.toNanos(changed.period()) / changed.permits();
            burst = interval * changed.capacity();
            emptyUntil = limit.time.nanoTime();
            leaseEnd = emptyUntil;
            handedOut -= leased.getAndSet(0);
            return this;
        });
    }

    @Override
    public long acquire(long maxWaitNanos, boolean mayBlock) {
        long now = limit.time.nanoTime();
        if (now - leaseEnd < 0 && takeLeased()) {
            return 0;
        }
        if (limit.state.isDown()) {
            return withoutStore(now, maxWaitNanos);
        }
        if (emptyUntil - now > maxWaitNanos) {
            return now - emptyUntil;
        }
        return mayBlock ? await(maxWaitNanos) : WOULD_BLOCK;
    }

    private boolean takeLeased() {
        long left = leased.getAndUpdate(before -> Math.max(0, before - 1));
        if (left == lease / 2 + 1) {
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
            case CLOSED -> NO_STORE;
            case SHARE -> lock.get(() -> acquireOfPart(now, maxWait));
        };
    }

    private long acquireOfPart(long now, long maxWait) {
        double part = interval * limit.nodes;
        long whole = (long) Math.max(part, burst);
        long missing =
                Math.max(0, Math.max(partBack - now, limit.state.since().nanoTime() + whole - now)) + (long) part;
        long wait = missing - whole;
        if (wait > maxWait) {
            return -wait;
        }
        partBack = now + missing;
        debtBack = limit.failedAt + Math.max(0, debtBack - limit.failedAt) + (long) part;
        return Math.max(0, wait);
    }

    /** An interrupt from before does not end the wait: the store may have a permit. */
    private long await(long maxWait) {
        CompletableFuture<Long> waiter = new CompletableFuture<>();
        Deadline deadline = Deadline.current();
        Scheduled late = deadline == null
                ? () -> {}
                : limit.time.schedule(deadline.left(), () -> waiter.complete(LATE), WorkerThreads.ENDS);
        lock.get(() -> waiters.put(waiter, maxWait) == null && ask());
        InterruptibleExecution.await(waiter, Thread.interrupted(), () -> waiter.complete(INTERRUPTED));
        late.cancel();
        long answer = waiter.join();
        return answer == WITHOUT_STORE ? acquire(maxWait, true) : answer;
    }

    /** Asks the store, unless that is under way; after the rest. */
    private boolean ask() {
        if (!isAsking) {
            isAsking = true;
            long rest = lease > 0 ? Math.min(MAX_REST, emptyUntil - limit.time.nanoTime()) : 0;
            limit.ask(Math.max(0, rest), () -> lock.get(this::request), answer -> lock.get(() -> answered(answer)));
        }
        return true;
    }

    private RateLimitStore.Request request() {
        long now = limit.time.nanoTime();
        long used = (handedOut - leased.get()) * LEASED / Math.max(LEASED / 4, now - askedAt);
        int wished = (int) Math.min(used, policy.capacity() / LEASED_PART / limit.nodes);
        lease = wished < 2 ? 0 : wished;
        askedAt = now;
        int ahead = (int) Math.max(0, lease - leased());
        asked = waiters.size() + ahead;
        debt = (int) Math.ceil(Math.max(0, debtBack - limit.failedAt) / (interval * limit.nodes));
        long wait =
                waiters.values().stream().mapToLong(maxWait -> maxWait).max().orElse(0);
        long longest = (long) (2 * burst) / 1_000 + Durations.toNanos(policy.maxWait()) / 1_000;
        return new RateLimitStore.Request(
                limit.name, key, interval / 1e3, burst / 1e3, longest, waiters.size(), ahead, wait / 1_000, debt);
    }

    /** @param answer {@code null} if there is none */
    private boolean answered(RateLimitStore.@Nullable Answer answer) {
        isAsking = false;
        if (answer != null) {
            take(answer, limit.time.nanoTime());
        } else {
            waiters.keySet().forEach(waiter -> waiter.complete(WITHOUT_STORE));
        }
        waiters.keySet().removeIf(CompletableFuture::isDone);
        return waiters.isEmpty() || ask();
    }

    private void take(RateLimitStore.Answer answer, long now) {
        debtBack -= (long) (debt * interval * limit.nodes);
        double backlog = answer.backlog() * 1e3;
        int given = 0;
        for (Map.Entry<CompletableFuture<Long>, Long> waiter : waiters.entrySet()) {
            long wait = (long) Math.max(0, backlog + (given + 1) * interval - burst);
            if (wait > waiter.getValue()) {
                waiter.getKey().complete(-wait);
            } else if (given < answer.granted() && waiter.getKey().complete(wait)) {
                given++;
            }
        }
        double free = Math.min(answer.granted(), Math.floor((burst - backlog) / interval + 1e-3));
        long more = (long) Math.max(0, free - given);
        handedOut = given + leased.updateAndGet(left -> now - leaseEnd < 0 ? left + more : more);
        leaseEnd = now + Math.min(SECOND, Durations.toNanos(policy.period()));
        double rest = lease > 0 && answer.granted() < asked ? Math.min((double) MAX_REST, burst / LEASED_PART) : 0;
        emptyUntil = now + (long) Math.max(rest, backlog + (answer.granted() + 1) * interval - burst);
    }

    /** Permits for calls to come. */
    long leased() {
        return limit.time.nanoTime() - leaseEnd < 0 ? leased.get() : 0;
    }
}
