package dev.resilience.idempotency;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Frees the keys of calls that were refused because the answer to their claim was lost. Such a claim may have been applied:
 * nothing runs, and the key stays taken, under {@code on-abandoned: reject} until an operator frees it.
 *
 * <p>The same owner claims again, on the timer, and releases what it gets, because a release needs the fence that only the
 * answer to a claim tells. Another call with the key is another owner and is refused until then. Tried ten times within
 * about five minutes, for a thousand keys at once; not any more when the application ends. A claim that the store applies
 * later than that is not undone. Safe for use by many threads.
 */
final class LostClaims implements AutoCloseable {

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    private static final int MOST_TRIES = 10;
    private static final int MOST_AT_ONCE = 1_000;

    private final IdempotencyStore store;
    private final TimeSource time;
    private final IdempotencyLog log;
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean closed;

    LostClaims(IdempotencyStore store, TimeSource time, IdempotencyLog log) {
        this.store = store;
        this.time = time;
        this.log = log;
    }

    /** The answer to this claim was lost, and its call does not run. */
    void free(ClaimRequest claim) {
        if (waiting.incrementAndGet() > MOST_AT_ONCE) {
            waiting.decrementAndGet();
        } else {
            schedule(claim.withoutTakeOver(), FIRST_PAUSE, 1);
        }
    }

    private void schedule(ClaimRequest claim, Duration pause, int number) {
        long due = time.nanoTime() + Durations.toNanos(pause);
        time.schedule(pause, () -> attempt(claim, pause, number, due));
    }

    private void attempt(ClaimRequest claim, Duration pause, int number, long due) {
        boolean isEnded = closed || time.nanoTime() - due < 0; // one that comes early is woken by the application's end
        boolean again = !isEnded && !isFree(claim, number == MOST_TRIES) && number < MOST_TRIES;
        if (again) {
            schedule(claim, Durations.min(pause.multipliedBy(2), LONGEST_PAUSE), number + 1);
        } else {
            waiting.decrementAndGet();
        }
    }

    /** Claims and releases the key. Another owner that has it keeps it. */
    private boolean isFree(ClaimRequest claim, boolean isLast) {
        try {
            if (store.claim(claim) instanceof Claim.Acquired acquired) {
                store.release(acquired.token());
            }
            return true;
        } catch (RuntimeException unavailable) {
            if (isLast) {
                log.completionFailed(claim.key().operation(), unavailable);
            }
            return false;
        }
    }

    /** Nothing is claimed any more. */
    @Override
    public void close() {
        closed = true;
    }
}
