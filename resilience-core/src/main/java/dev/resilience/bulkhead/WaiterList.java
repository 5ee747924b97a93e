package dev.resilience.bulkhead;

import dev.resilience.bulkhead.PermitQueue.Waiter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls in a queue, first come, first served, each a link of its own. Not safe for use by many threads. */
final class WaiterList {

    private @Nullable Waiter first;
    private @Nullable Waiter last;
    private int size;

    @Nullable
    Waiter first() {
        return first;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void add(Waiter waiter) {
        waiter.isQueued = true;
        waiter.before = last;
        if (last == null) {
            first = waiter;
        } else {
            last.after = waiter;
        }
        last = waiter;
        size++;
    }

    /** {@code false} if it is not in the queue. */
    boolean remove(Waiter waiter) {
        if (!waiter.isQueued) {
            return false;
        }
        Waiter before = waiter.before;
        Waiter after = waiter.after;
        if (before == null) {
            first = after;
        } else {
            before.after = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.before = before;
        }
        waiter.isQueued = false;
        waiter.before = null; // a call that runs keeps no other one
        waiter.after = null;
        size--;
        return true;
    }

    List<Waiter> all() {
        List<Waiter> all = new ArrayList<>(size);
        for (Waiter waiter = first; waiter != null; waiter = waiter.after) {
            all.add(waiter);
        }
        return all;
    }
}
