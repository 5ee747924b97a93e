package dev.resilience.spring.idempotency.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What happened in a run: who did what, when. The same seed writes the same trace. */
final class Trace {

    private final Baton baton;
    private final List<String> lines = new ArrayList<>();
    private final Map<String, String> owners = new HashMap<>();

    Trace(Baton baton) {
        this.baton = baton;
    }

    /** What the current task does. */
    void task(String what) {
        SimulatedTask task = baton.current();
        add(task.machine().name() + " " + task.name(), what);
    }

    /** What happens to a machine. */
    void add(String who, String what) {
        long micros = baton.now() / 1_000;
        lines.add(String.format("%3d.%06d  %-22s %s", micros / 1_000_000, micros % 1_000_000, who, what));
    }

    /** A name for an owner that every run of the seed gives it: its own has a random number in it. */
    String owner(String token) {
        return owners.computeIfAbsent(token, unknown -> "owner-" + (owners.size() + 1));
    }

    List<String> lines() {
        return lines;
    }

    @Override
    public String toString() {
        return String.join("\n", lines);
    }
}
