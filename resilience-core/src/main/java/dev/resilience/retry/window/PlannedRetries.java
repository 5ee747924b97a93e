package dev.resilience.retry.window;

import org.jspecify.annotations.Nullable;

/**
 * How many retries are reserved for each slot, from a window ago to a window ahead. Immutable.
 *
 * <p>A retry that is late stays reserved for one window. After that the reservation lapses, so calls whose timers are
 * lost, or that come back from a long pause of the process, do not keep the budget from others.
 */
final class PlannedRetries {

    private static final int SLOTS = 2 * RetryBudgetWindow.SLOTS_PER_WINDOW + 1;

    static final PlannedRetries NONE = new PlannedRetries(null, 0);

    private final int @Nullable [] bySlot; // there is none where none is planned
    private final int total;

    private PlannedRetries(int @Nullable [] bySlot, int total) {
        this.bySlot = bySlot;
        this.total = total;
    }

    /** What is left in a later (or the same) slot. */
    PlannedRetries at(long slot, long newSlot) {
        if (bySlot == null || newSlot == slot) {
            return this;
        }
        int[] kept = bySlot.clone();
        int left = total;
        long lastLapsed = newSlot - RetryBudgetWindow.SLOTS_PER_WINDOW - 1;
        for (long s = Math.max(slot - RetryBudgetWindow.SLOTS_PER_WINDOW, lastLapsed - SLOTS + 1);
                s <= lastLapsed;
                s++) {
            left -= kept[index(s)];
            kept[index(s)] = 0;
        }
        return left == 0 ? NONE : new PlannedRetries(kept, left);
    }

    PlannedRetries plus(long due, int number) {
        if (total + number == 0) {
            return NONE;
        }
        int[] changed = bySlot == null ? new int[SLOTS] : bySlot.clone();
        changed[index(due)] += number;
        return new PlannedRetries(changed, total + number);
    }

    /** How many are due so many slots from now; those that are late are due now. */
    int due(long slot, int ahead) {
        if (bySlot == null) {
            return 0;
        }
        if (ahead > 0) {
            return bySlot[index(slot + ahead)];
        }
        int due = 0;
        for (int late = 0; late <= RetryBudgetWindow.SLOTS_PER_WINDOW; late++) {
            due += bySlot[index(slot - late)];
        }
        return due;
    }

    private static int index(long slot) {
        return (int) Math.floorMod(slot, (long) SLOTS);
    }
}
