package dev.resilience.retry;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * Keeps retries from becoming a storm: in any sliding window there are at most {@code min-retries-per-second × window +
 * max-ratio × first attempts} of them, whatever fails.
 *
 * <p>Costs a call that needs no retry one counter: time is looked at only when somebody wants to retry. Safe for use by
 * many threads, which share it without locks.
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
        long calls = firstAttempts.sum();
        return history.at(slot, calls).available();
    }

    /** Takes one retry out of the budget if there is one. */
    boolean tryAcquire() {
        while (true) {
            RetryHistory before = history;
            RetryHistory now = before.at(slot(), firstAttempts.sum());
            boolean granted = now.available() > 0;
            if (HISTORY.compareAndSet(this, before, granted ? now.withRetry() : now)) {
                return granted;
            }
        }
    }

    /** A call begins, which counts in favour of retries. */
    void firstAttempt() {
        firstAttempts.increment();
    }

    private long slot() {
        return (time.nanoTime() - start) / slotNanos;
    }
}
