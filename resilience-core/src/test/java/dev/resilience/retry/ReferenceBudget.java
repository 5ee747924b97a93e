package dev.resilience.retry;

import java.util.ArrayList;
import java.util.List;

/**
 * What a retry budget grants, added up anew for each question from a list of all that counted. Its slots are those of the
 * real one.
 */
class ReferenceBudget {

    static final int SLOTS = 20;

    private final List<Counted> counted = new ArrayList<>();
    private final double allowance;
    private final double ratio;
    private long lastSlot;
    private int newCalls;

    ReferenceBudget(RetryBudgetPolicy policy) {
        this.ratio = policy.maxRatio();
        this.allowance = policy.minRetriesPerSecond() * (policy.window().toNanos() / 1e9);
    }

    private record Counted(long slot, double retries) {}

    void firstAttemptEnded() {
        newCalls++;
    }

    boolean tryAcquire(long slot) {
        boolean granted = available(slot) > 0;
        if (granted) {
            counted.add(new Counted(slot, 1));
        }
        return granted;
    }

    /** Calls that have ended count for the slot in which it was asked before. */
    long available(long slot) {
        counted.add(new Counted(lastSlot, -ratio * newCalls));
        newCalls = 0;
        lastSlot = slot;
        return (long) Math.max(0, allowance - backlog(slot - SLOTS) + 1e-6);
    }

    /** The most retries, less those that calls have paid for, since any moment in or after a slot. */
    double backlog(long from) {
        double sum = 0;
        double most = 0;
        for (int i = counted.size() - 1; i >= 0 && counted.get(i).slot >= from; i--) {
            sum += counted.get(i).retries;
            most = Math.max(most, sum);
        }
        return most;
    }
}
