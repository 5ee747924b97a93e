package dev.resilience.spring.idempotency.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What happened outside the database: which bodies began, and what callers were told. No crash takes it away. */
final class History {

    private final Map<String, SimulatedBody> bodies = new LinkedHashMap<>();
    private final List<Told> told = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();

    /** A caller got this answer, and its transaction, if it has one, is committed as far as it knows. */
    record Told(String key, String value, boolean replay) {}

    SimulatedBody begin(String key) {
        SimulatedBody body = new SimulatedBody(bodies.size() + 1, key);
        bodies.put(body.value(), body);
        return body;
    }

    void tell(String key, String value, boolean replay) {
        told.add(new Told(key, value, replay));
    }

    void violation(String what) {
        violations.add(what);
    }

    SimulatedBody body(String value) {
        SimulatedBody body = bodies.get(value);
        if (body == null) {
            throw new AssertionError("Nothing has returned " + value);
        }
        return body;
    }

    List<SimulatedBody> bodies(String key) {
        return bodies.values().stream().filter(body -> body.key().equals(key)).toList();
    }

    List<Told> told(String key) {
        return told.stream().filter(one -> one.key().equals(key)).toList();
    }

    List<String> violations() {
        return violations;
    }
}
