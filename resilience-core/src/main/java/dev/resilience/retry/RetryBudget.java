package dev.resilience.retry;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/**
 * Keeps retries from becoming a storm: in any sliding window there are at most {@code min-retries-per-second × window +
 * max-ratio × first attempts} of them, whatever fails.
 *
 * <p>Costs a call that needs no retry nothing: it asks the {@link Retry}s that share it how many calls they have seen
 * only when one of them wants to retry. Safe for use by many threads, which share it without locks.
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
    private final List<LongSupplier> callCounts = new CopyOnWriteArrayList<>();
    private volatile RetryHistory history;

    public RetryBudget(String name, RetryBudgetPolicy policy, TimeSource time) {
        this.name = name;
        this.policy = policy;
        this.time = time;
        this.start = time.nanoTime();
        this.slotNanos = Math.max(1, Durations.toNanos(policy.window()) / RetryHistory.SLOTS_PER_WINDOW);
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
        return observed().available();
    }

    /** Takes one retry out of the budget if there is one. */
    boolean tryAcquire() {
        while (true) {
            RetryHistory before = history;
            RetryHistory now = observed(before);
            boolean granted = now.available() > 0;
            if (HISTORY.compareAndSet(this, before, granted ? now.withRetry() : now)) {
                return granted;
            }
        }
    }

    /** Makes the calls that a retry has seen count in its favour. */
    void countCallsOf(LongSupplier callCount) {
        callCounts.add(callCount);
    }

    private RetryHistory observed() {
        return observed(history);
    }

    private RetryHistory observed(RetryHistory before) {
        long calls = 0;
        for (LongSupplier callCount : callCounts) {
            calls += callCount.getAsLong();
        }
        return before.at((time.nanoTime() - start) / slotNanos, calls);
    }
}
