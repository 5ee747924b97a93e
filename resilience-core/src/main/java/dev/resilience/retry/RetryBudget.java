package dev.resilience.retry;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Keeps retries from becoming a storm: in any sliding window there are at most {@code min-retries-per-second × window +
 * max-ratio × first attempts} of them, whatever fails.
 *
 * <p>A first attempt counts when it has ended. One that succeeds costs nothing here: it is counted by the retry itself,
 * where the sum is looked up when somebody wants to retry, and only then is time looked at. Safe for use by many threads,
 * which share it without locks.
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
    private final LongAdder failedFirstAttempts = new LongAdder();
    private final List<LongSupplier> successes = new CopyOnWriteArrayList<>();
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

    /** A first attempt has failed, which counts in favour of retries all the same. */
    void firstAttemptFailed() {
        failedFirstAttempts.increment();
    }

    /** Says where first attempts are counted that succeed. */
    void successesCountedBy(LongSupplier counter) {
        successes.add(counter);
    }

    private long firstAttempts() {
        long sum = failedFirstAttempts.sum();
        for (LongSupplier counter : successes) {
            sum += counter.getAsLong();
        }
        return sum;
    }

    private long slot() {
        return (time.nanoTime() - start) / slotNanos;
    }
}
