package dev.resilience.spring.idempotency.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What is still to come in a run: tasks, which need a thread, and events, which do not. */
final class Agenda {

    private final List<SimulatedTask> tasks = new ArrayList<>();
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::when).thenComparingInt(Event::number));
    private int number;

    private record Event(long when, int number, Runnable action) {}

    void add(SimulatedTask task) {
        tasks.add(task);
    }

    void remove(SimulatedTask task) {
        tasks.remove(task);
    }

    void add(long when, Runnable event) {
        events.add(new Event(when, number++, event));
    }

    void runEvents(long now) {
        for (Event due = events.peek(); due != null && due.when <= now; due = events.peek()) {
            events.remove();
            due.action.run();
        }
    }

    List<SimulatedTask> ready() {
        List<SimulatedTask> ready = new ArrayList<>();
        for (SimulatedTask task : tasks) {
            if (task.isReady()) {
                ready.add(task);
            }
        }
        return ready;
    }

    /** At which time alone lets something happen; {@link Long#MAX_VALUE} if it never will. */
    long nextMoment() {
        Event event = events.peek();
        long next = event == null ? Long.MAX_VALUE : event.when;
        for (SimulatedTask task : tasks) {
            next = Math.min(next, task.readyAt());
        }
        return next;
    }

    /** A task that has a thread; those that have none are forgotten. */
    @Nullable
    SimulatedTask firstStarted() {
        tasks.removeIf(task -> !task.hasStarted());
        return tasks.isEmpty() ? null : tasks.get(0);
    }

    /** Where each task stands, but for what crashed machines have left; empty if there is none. */
    String unfinished() {
        return tasks.stream()
                .filter(task -> !task.machine().hasCrashed())
                .map(SimulatedTask::describe)
                .collect(Collectors.joining("\n"));
    }
}
