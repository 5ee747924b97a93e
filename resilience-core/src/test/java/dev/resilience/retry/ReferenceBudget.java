package dev.resilience.retry;

import java.util.ArrayList;
import java.util.List;

/**
 * What a retry budget grants, added up anew for each question from a list of all that counted. Its slots are those of the
 * real one. What it expects of calls that are still to come is no part of it, so retries are reserved only where calls pay
 * for none.
 */
class ReferenceBudget {

    static final int SLOTS = 20;

    final List<Long> reserved = new ArrayList<>();
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
        if (granted || slot > lastSlot) {
            credit(slot);
        }
        count(slot, granted);
        return granted;
    }

    boolean reserve(long slot, long due) {
        boolean granted = room(slot, due) >= 1;
        credit(slot);
        if (granted) {
            reserved.add(due);
        }
        return granted;
    }

    boolean use(long slot, long due) {
        reserved.remove(due);
        if (due < slot - SLOTS) {
            return tryAcquire(slot);
        }
        credit(slot);
        boolean granted = allowance - backlog(slot - SLOTS) + 1e-6 >= 1;
        count(slot, granted);
        return granted;
    }

    long available(long slot) {
        return (long) Math.max(0, room(slot, slot));
    }

    /** A retry that is later than a window is reserved no longer. */
    boolean isKept(long due, long slot) {
        return due >= slot - SLOTS;
    }

    /** For every moment from the one in which it is due to a window from now, within the window that ends then. */
    private double room(long slot, long due) {
        double room = Double.POSITIVE_INFINITY;
        for (long end = due; end <= slot + SLOTS; end++) {
            long until = end;
            long planned = reserved.stream()
                    .filter(of -> isKept(of, slot) && of <= until)
                    .count();
            room = Math.min(room, allowance - backlog(end - SLOTS) - planned + 1e-6);
        }
        return room;
    }

    /** The most retries, less those that calls have paid for, since any moment in or after a slot. */
    double backlog(long from) {
        double sum = -ratio * newCalls;
        double most = 0;
        for (int i = counted.size() - 1; i >= 0 && counted.get(i).slot >= from; i--) {
            sum += counted.get(i).retries;
            most = Math.max(most, sum);
        }
        return most;
    }

    /** Calls that have ended count for the slot in which something last changed. */
    private void credit(long slot) {
        counted.add(new Counted(lastSlot, -ratio * newCalls));
        newCalls = 0;
        lastSlot = slot;
    }

    private void count(long slot, boolean granted) {
        if (granted) {
            counted.add(new Counted(slot, 1));
        }
    }
}
