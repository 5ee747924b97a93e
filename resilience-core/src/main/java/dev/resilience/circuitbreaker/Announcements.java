package dev.resilience.circuitbreaker;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells of transitions in the order in which they were made, one at a time. A thread that is faster than the one that made
 * the transition before leaves its own to that thread, so none waits. Safe for use by many threads.
 */
final class Announcements {

    /**
     * So many wait only for a thread that has died before it came here, or that gets no processor. If it comes after all, its
     * transition is announced at once: late, and not lost.
     */
    private static final int MOST_WAITING = 100;

    private final Consumer<Transition> audience;
    private final TreeMap<Long, Transition> waiting = new TreeMap<>();
    private long next = 1;
    private boolean underWay;

    /** @param audience hears of each transition, and must not throw */
    Announcements(Consumer<Transition> audience) {
        this.audience = audience;
    }

    void add(Transition transition) {
        for (Transition due = first(transition); due != null; due = following()) {
            audience.accept(due);
        }
    }

    private synchronized @Nullable Transition first(Transition made) {
        waiting.put(made.number(), made);
        if (underWay) {
            return null;
        }
        underWay = true;
        return following();
    }

    private synchronized @Nullable Transition following() {
        Map.Entry<Long, Transition> first = waiting.firstEntry();
        if (first == null || (first.getKey() > next && waiting.size() <= MOST_WAITING)) {
            underWay = false;
            return null;
        }
        waiting.remove(first.getKey());
        next = Math.max(next, first.getKey() + 1);
        return first.getValue();
    }
}
