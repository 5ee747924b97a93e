package dev.resilience.retry.window;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many calls wait for a retry longer than the window of the budget, by the window in which their waits end. Safe for
 * use by many threads; a call that is refused writes nothing that they share.
 */
public final class LongWaits {

    private final ConcurrentMap<Long, Long> byWindow = new ConcurrentHashMap<>();

    /**
     * One more, unless there are enough already.
     *
     * @param present the window in which it is now: calls that should have ended before the last one are forgotten
     * @param due the window in which the wait ends, later than the present one
     * @param most how many may wait for that one
     */
    public boolean add(long present, long due, long most) {
        if (byWindow.getOrDefault(due, 0L) >= most) {
            return false;
        }
        byWindow.keySet().removeIf(window -> window < present - 1);
        boolean[] added = new boolean[1];
        byWindow.compute(due, (window, waiting) -> {
            long before = waiting == null ? 0 : waiting;
            added[0] = before < most;
            return added[0] ? Long.valueOf(before + 1) : waiting;
        });
        return added[0];
    }

    /** One less, if it is not forgotten. */
    public void remove(long due) {
        byWindow.computeIfPresent(due, (window, waiting) -> waiting == 1 ? null : waiting - 1);
    }
}
