package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitState;
import dev.resilience.event.internal.EventPublisher;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts the transitions of a circuit breaker, and tells the log and the listeners of them. Safe for use by many threads. */
final class Transitions {

    private final EventPublisher events;
    private final Announcements announcements = new Announcements(this::tell);
    private final Map<Move, LongAdder> counters = new HashMap<>();

    private record Move(CircuitState from, CircuitState to) {}

    Transitions(EventPublisher events) {
        this.events = events;
        for (CircuitState from : CircuitState.values()) {
            for (CircuitState to : CircuitState.values()) {
                counters.put(new Move(from, to), new LongAdder());
            }
        }
    }

    /** One that leads to the same state is announced, and not counted. */
    void made(Transition transition) {
        if (transition.from() != transition.to()) {
            counter(transition.from(), transition.to()).increment();
        }
        announcements.add(transition);
    }

    long count(CircuitState from, CircuitState to) {
        return counter(from, to).sum();
    }

    private LongAdder counter(CircuitState from, CircuitState to) {
        return Objects.requireNonNull(counters.get(new Move(from, to)));
    }

    private void tell(Transition transition) {
        try {
            transition.log();
        } catch (Throwable broken) { // a logger, which must not hurt a call
        }
        events.publish(transition::event);
    }
}
