package dev.resilience.retry;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Keeps retries from becoming a storm: in any sliding window there are at most {@code min-retries-per-second × window +
 * max-ratio × first attempts} of them, whatever fails.
 *
 * <p>A first attempt counts when it has ended. One that succeeds costs the first retry that uses the budget nothing: it
 * counts its successes anyway, on a counter that the budget reads too. Sums and time are looked at only when somebody
 * wants to retry. Safe for use by many threads, which share it without locks.
 */
public final class RetryBudget {

    private static final VarHandle HISTORY;

    static {
        try {
            HISTORY = MethodHandles.lookup().findVarHandle(RetryBudget.class, "history", RetryHistory.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final String name;
    private final RetryBudgetPolicy policy;
    private final TimeSource time;
    private final long start;
    private final long slotNanos;
    private final LongAdder firstAttempts = new LongAdder();
    private final LongAdder successesOfFirstUser = new LongAdder();
    private final AtomicBoolean hasFirstUser = new AtomicBoolean();
    private volatile RetryHistory history;

    public RetryBudget(String name, RetryBudgetPolicy policy, TimeSource time) {
        this.name = name;
        this.policy = policy;
        this.time = time;
        this.start = time.nanoTime();
        // rounded up: the slots together must not be shorter than the window
        this.slotNanos = (Durations.toNanos(policy.window()) - 1) / RetryHistory.SLOTS_PER_WINDOW + 1;
        this.history = RetryHistory.empty(policy);
    }

    public String name() {
        return name;
    }

    public RetryBudgetPolicy policy() {
        return policy;
    }

    /** How many retries it would allow right now, one after the other. */
    public long available() {
        // time and calls first: a history from before a retry that they are younger than would lack it
        long slot = slot();
        long calls = firstAttempts();
        return history.at(slot, calls).available();
    }

    /** Takes one retry out of the budget if there is one. */
    boolean tryAcquire() {
        while (true) {
            RetryHistory before = history;
            RetryHistory now = before.at(slot(), firstAttempts());
            boolean granted = now.available() > 0;
            if (HISTORY.compareAndSet(this, before, granted ? now.withRetry() : now)) {
                return granted;
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

    private long firstAttempts() {
        return firstAttempts.sum() + successesOfFirstUser.sum();
    }

    private long slot() {
        return (time.nanoTime() - start) / slotNanos;
    }
}
