package dev.resilience.retry;

import dev.resilience.pipeline.LiveObject;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.policy.Require;
import dev.resilience.retry.window.LongWaits;
import dev.resilience.retry.window.RetryBudgetWindow;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Keeps retries from becoming a storm: in any sliding window there are at most {@code min-retries-per-second × window +
 * max-ratio × first attempts} of them, whatever fails.
 *
 * <p>A call asks before it waits, and the retry is kept for it until its wait is over; if there is none to be kept, the
 * call need not wait. The retry counts when it is made, and the promise is about that moment: {@link RetryBudgetWindow} says
 * why both hold. A call that does not make its retry gives it back.
 *
 * <p>A first attempt counts when it has ended. One that succeeds costs the first retry that uses the budget nothing: it
 * counts its successes anyway, on a counter that the budget reads too. Sums and time are looked at only when a call wants
 * to retry. Safe for use by many threads, which share it without locks; only the first refusal in a slot writes what they share.
 */
public final class RetryBudget implements LiveObject<RetryBudgetPolicy> {

    private final String name;
    private volatile RetryBudgetPolicy policy;
    private final Duration window;
    private final TimeSource time;
    private final long start;
    private final long slotNanos;
    private final LongAdder firstAttempts = new LongAdder();
    private final LongAdder successesOfFirstUser = new LongAdder();
    private final AtomicBoolean hasFirstUser = new AtomicBoolean();
    private final LongWaits longWaits = new LongWaits();
    private final AtomicReference<RetryBudgetWindow> history;

    /**
     * A retry that is kept for one call while it waits. Either used or given back, once, by one thread at a time.
     *
     * @param due the slot of the history in which the wait is over, or the window of a long wait
     * @param isLong whether the wait is longer than the window. Then nothing is kept, because that would keep a retry from
     *     others for too long: the call only is one of those that may wait
     */
    record Reservation(RetryBudget budget, long due, boolean isLong) {

        /** The wait is over. Whether the retry may be made now, and if so it is counted. */
        boolean use() {
            return isLong ? budget.useAfterLongWait(due) : budget.use(due);
        }

        void giveBack() {
            if (isLong) {
                budget.longWaits.remove(due);
            } else {
                budget.giveBack(due);
            }
        }
    }

    /** For adapters; applications ask {@link dev.resilience.Resilience#retryBudget}. */
    public RetryBudget(String name, RetryBudgetPolicy policy, TimeSource time) {
        this.name = name;
        this.policy = policy;
        this.window = policy.window();
        this.time = time;
        this.start = time.nanoTime();
        // rounded up: the slots together must not be shorter than the window
        this.slotNanos = (Durations.toNanos(window) - 1) / RetryBudgetWindow.SLOTS_PER_WINDOW + 1;
        this.history =
                new AtomicReference<>(RetryBudgetWindow.empty(window, policy.minRetriesPerSecond(), policy.maxRatio()));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public RetryBudgetPolicy policy() {
        return policy;
    }

    /**
     * Changes how many retries are allowed from now on. What was counted stays, and so do the retries that waiting calls have
     * reserved: where fewer are allowed now, those that are too many are refused when their wait is over.
     *
     * @throws InvalidPolicyException if the policy has another window, which cannot be changed
     */
    @Override
    public synchronized void reconfigure(RetryBudgetPolicy changed) {
        Require.that(
                changed.window().equals(window),
                "window",
                changed.window(),
                "cannot be changed while the application runs, and is " + window);
        policy = changed;
        while (true) {
            RetryBudgetWindow before = history();
            RetryBudgetWindow after = before.at(elapsed() / slotNanos, firstAttempts())
                    .allowing(window, changed.minRetriesPerSecond(), changed.maxRatio());
            if (history.compareAndSet(before, after)) {
                return;
            }
        }
    }

    /**
     * How many retries it would allow right now, one after the other. Those that waiting calls have reserved are not
     * among them.
     */
    public long available() {
        // time and calls first: a history from before a retry that they are younger than would lack it
        long slot = elapsed() / slotNanos;
        long calls = firstAttempts();
        return history().at(slot, calls).available();
    }

    /**
     * Keeps a retry for a call that is about to wait for it.
     *
     * @return {@code null} if there is none for it. For a wait longer than the window nothing is kept, because that
     *     would keep it from others for as long: there it is decided when the wait is over, and no more calls wait for a
     *     window than may retry in it
     */
    @Nullable
    Reservation reserve(Duration wait) {
        if (wait.compareTo(window) > 0) {
            return reserveLongWait(wait);
        }
        long waitNanos = Durations.toNanos(wait);
        while (true) {
            RetryBudgetWindow before = history();
            long elapsed = elapsed();
            RetryBudgetWindow now = before.at(elapsed / slotNanos, firstAttempts());
            long due = Math.max(now.slot(), slotAfter(elapsed, waitNanos));
            if (!now.hasRoom(due, 1 - (double) (elapsed % slotNanos) / slotNanos)) {
                if (isPresent(before, now)) {
                    return null;
                }
                continue;
            }
            if (history.compareAndSet(before, now.plan(due))) {
                return new Reservation(this, due, false);
            }
        }
    }

    private @Nullable Reservation reserveLongWait(Duration wait) {
        long elapsed = elapsed();
        RetryBudgetWindow now = history().at(elapsed / slotNanos, firstAttempts());
        long present = elapsed / slotNanos / RetryBudgetWindow.SLOTS_PER_WINDOW;
        long due = slotAfter(elapsed, Durations.toNanos(wait)) / RetryBudgetWindow.SLOTS_PER_WINDOW;
        boolean mayWait = now.available() > 0 && longWaits.add(present, due, now.expectedPerWindow());
        return mayWait ? new Reservation(this, due, true) : null;
    }

    private boolean useAfterLongWait(long due) {
        longWaits.remove(due);
        return tryAcquire();
    }

    /** Takes one retry out of the budget if there is one that is not reserved. */
    boolean tryAcquire() {
        while (true) {
            RetryBudgetWindow before = history();
            RetryBudgetWindow now = before.at(elapsed() / slotNanos, firstAttempts());
            if (now.available() == 0) {
                if (isPresent(before, now)) {
                    return false;
                }
                continue;
            }
            if (history.compareAndSet(before, now.withRetry())) {
                return true;
            }
        }
    }

    /**
     * Notes at a refusal which slot it is, once a slot: a call that has read the clock before must not count its retry in
     * the past, where it would make room for others too soon.
     */
    private boolean isPresent(RetryBudgetWindow before, RetryBudgetWindow now) {
        return now.slot() == before.slot() || history.compareAndSet(before, now);
    }

    /** Turns a reservation into a retry that is made now; refuses only what would break the promise. */
    private boolean use(long due) {
        while (true) {
            RetryBudgetWindow before = history();
            RetryBudgetWindow now = before.at(elapsed() / slotNanos, firstAttempts());
            if (!now.keepsPlan(due)) {
                return tryAcquire();
            }
            boolean granted = now.allowsRetry();
            RetryBudgetWindow after = now.withoutPlan(due);
            if (history.compareAndSet(before, granted ? after.withRetry() : after)) {
                return granted;
            }
        }
    }

    /** Without a look at the clock, which may be what keeps the retry from being made. */
    private void giveBack(long due) {
        while (true) {
            RetryBudgetWindow before = history();
            if (!before.keepsPlan(due) || history.compareAndSet(before, before.withoutPlan(due))) {
                return;
            }
        }
    }

    /** A first attempt has ended, which counts in favour of retries however it did. */
    void firstAttemptEnded() {
        firstAttempts.increment();
    }

    /**
     * A counter on which the first one who asks counts first attempts that succeed, in place of telling of each. {@code
     * null} for everybody else.
     */
    @Nullable
    LongAdder successesOfFirstUser() {
        return hasFirstUser.compareAndSet(false, true) ? successesOfFirstUser : null;
    }

    private RetryBudgetWindow history() {
        return Objects.requireNonNull(history.get());
    }

    private long firstAttempts() {
        return firstAttempts.sum() + successesOfFirstUser.sum();
    }

    private long elapsed() {
        return time.nanoTime() - start;
    }

    /** Without a sum of times, which might be too large. */
    private long slotAfter(long elapsed, long waitNanos) {
        long parts = elapsed % slotNanos + waitNanos % slotNanos;
        return elapsed / slotNanos + waitNanos / slotNanos + parts / slotNanos;
    }
}
