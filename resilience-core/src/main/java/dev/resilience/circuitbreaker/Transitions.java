package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitState;
import dev.resilience.event.internal.EventPublisher;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The state that a circuit breaker is in. It is one reference, moved by compare-and-set; each move is counted, and the log
 * and the listeners are told of it. Safe for use by many threads.
 */
final class Transitions {

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Transitions.class, "state", State.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final EventPublisher events;
    private final Announcements announcements = new Announcements(this::tell);
    private final Map<Move, LongAdder> counters = new HashMap<>();
    private volatile State state;

    private record Move(CircuitState from, CircuitState to) {}

    Transitions(State initial, EventPublisher events) {
        this.state = initial;
        this.events = events;
        for (CircuitState from : CircuitState.values()) {
            for (CircuitState to : CircuitState.values()) {
                counters.put(new Move(from, to), new LongAdder());
            }
        }
    }

    State state() {
        return state;
    }

    /** Moves from one state instance to the next; false if another thread was first, and then nothing has changed. */
    boolean move(State from, State to) {
        follow(from, to, true);
        if (!STATE.compareAndSet(this, from, to)) {
            return false;
        }
        made(new Transition(from, to, false));
        return true;
    }

    /**
     * Moves on by hand.
     *
     * @param successor what follows depends on the state before it, and above all on its settings
     * @param isNews whether the log and the listeners are told of it
     */
    void replace(UnaryOperator<State> successor, BiPredicate<State, State> isNews) {
        State before;
        State after;
        boolean toldOf;
        do {
            before = state;
            after = successor.apply(before);
            toldOf = isNews.test(before, after);
            follow(before, after, toldOf);
        } while (!STATE.compareAndSet(this, before, after));
        if (toldOf) {
            made(new Transition(before, after, true));
        }
    }

    /** To be called before others can see the state that follows. */
    private static void follow(State before, State after, boolean toldOf) {
        if (after != before) {
            after.announcements = before.announcements + (toldOf ? 1 : 0);
        }
    }

    /** One that leads to the same state is announced, and not counted. */
    private void made(Transition transition) {
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

    /**
     * Reports transitions in the order in which they were made, one at a time. A thread that is faster than the one that made
     * the transition before leaves its own to that thread, so none waits. Safe for use by many threads.
     */
    static final class Announcements {

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
}
