package dev.resilience.sample.show;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What happened in each of the last sixty seconds: numbers by name. Safe for use by many threads. */
final class Minute {

    private final Deque<Map<String, Integer>> seconds = new ArrayDeque<>(List.of(new TreeMap<>()));

    synchronized void add(String name, int number) {
        seconds.getLast().merge(name, number, Integer::sum);
    }

    /** Counts an order's end, and how long it took: after five seconds its customer has left. */
    synchronized void end(String outcome, long began) {
        int millis = (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        add(millis > 5_000 ? "failed" : outcome, 1);
        add("millis", millis);
    }

    /** Ends the current second. */
    synchronized void next() {
        seconds.addLast(new TreeMap<>());
        if (seconds.size() > 61) {
            seconds.removeFirst();
        }
    }

    /** The seconds that are over, the oldest first. */
    synchronized List<Map<String, Integer>> past() {
        return List.copyOf(seconds).subList(0, seconds.size() - 1);
    }
}
