package dev.resilience.spring.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** What callers did and were told, and what bodies did, written down outside the database. Safe for many threads. */
final class History {

    /** Unlike those of every other run of this process. */
    private static final AtomicLong BODIES = new AtomicLong();

    private static final ThreadLocal<Call> CURRENT = new ThreadLocal<>();
    private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
    private final Map<String, Body> bodies = new ConcurrentHashMap<>();
    private final AtomicLong callNumbers = new AtomicLong();
    private final long seed;
    private volatile boolean healthy;

    History(long seed) {
        this.seed = seed;
    }

    /** One call, as its caller sees it. Written by one thread, and read when that has ended. */
    static final class Call {

        private final long number;
        private final String key;
        private final List<Body> bodies = new ArrayList<>();
        private String value;
        private Throwable failure;

        private Call(long number, String key) {
            this.number = number;
            this.key = key;
        }

        String key() {
            return key;
        }

        List<Body> bodies() {
            return bodies;
        }

        /** {@code null} if it was told a failure. */
        String value() {
            return value;
        }

        Throwable failure() {
            return failure;
        }

        @Override
        public String toString() {
            return "call " + number + " of " + key;
        }
    }

    /** One run of a body. */
    record Body(long number, Call call, BodyPlan plan) {

        String value() {
            return "order " + number;
        }

        boolean isUndone() {
            return plan.ending() == BodyPlan.Ending.UNDOES;
        }

        @Override
        public String toString() {
            return "body " + number + " of " + call + " (" + plan + ")";
        }
    }

    /** What is done in the name of a caller. */
    interface Work {

        String run();
    }

    /** Calls, and writes down what the caller is told. */
    Call call(String key, Work work) {
        Call call = new Call(callNumbers.incrementAndGet(), key);
        calls.add(call);
        CURRENT.set(call);
        try {
            call.value = work.run();
        } catch (RuntimeException | Error failure) {
            call.failure = failure;
        } finally {
            CURRENT.remove();
        }
        return call;
    }

    /** A body begins on the current caller's thread. */
    Body begins(int rows) {
        Call call = CURRENT.get();
        BodyPlan plan =
                healthy ? BodyPlan.healthy() : BodyPlan.of(seed * 31 + call.number * 1_009 + call.bodies.size(), rows);
        Body body = new Body(BODIES.incrementAndGet(), call, plan);
        call.bodies.add(body);
        bodies.put(body.value(), body);
        return body;
    }

    long seed() {
        return seed;
    }

    /** From now on bodies just do what they are for. */
    void heal() {
        healthy = true;
    }

    List<Call> calls() {
        return List.copyOf(calls);
    }

    /** The body that has returned this; {@code null} if there is none. */
    Body body(String value) {
        return bodies.get(value);
    }
}
