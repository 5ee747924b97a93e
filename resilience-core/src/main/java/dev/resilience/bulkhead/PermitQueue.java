package dev.resilience.bulkhead;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The places of a bulkhead and the line of those who wait for one.
 *
 * <p>While nobody waits, taking and leaving a place is one atomic step each. The line is kept under a lock, which
 * only those take who are about to wait, or who leave while somebody waits. A place is never lost between the two: who
 * leaves first gives the place back and then looks for waiters, who comes first stands in line and then looks for a
 * place, so at least one of them sees the other. A place that is handed over belongs to the waiter at once; nobody who
 * comes later can take it.
 */
final class PermitQueue {

    private volatile int maxConcurrent;
    private volatile int maxQueue;
    private final PermitCounter taken = new PermitCounter();
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Waiter> line = new LinkedHashSet<>();
    private volatile int waiting;
    private volatile boolean closed;

    PermitQueue(int maxConcurrent, int maxQueue) {
        this.maxConcurrent = maxConcurrent;
        this.maxQueue = maxQueue;
    }

    /** Changes the limits; whoever is in stays in, whoever stands in line stays there. */
    void limit(int concurrent, int queue) {
        lock.lock();
        try {
            maxConcurrent = concurrent;
            maxQueue = queue;
        } finally {
            lock.unlock();
        }
        serve();
    }

    /** Takes a place if there is one and nobody waits for it. */
    boolean tryTake() {
        return waiting == 0 && taken.take(maxConcurrent);
    }

    /**
     * Stands in line, or returns {@code false} if the line is full. Who could have a place by now does not count as
     * waiting: nobody is refused for the sake of one who is about to go in. The waiter may be given its place at once.
     */
    boolean standInLine(Waiter waiter) {
        while (true) {
            Waiter served;
            lock.lock();
            try {
                served = firstWithPlace();
                if (served == null && line.isEmpty() && taken.take(maxConcurrent)) {
                    served = waiter;
                }
                if (served == null) {
                    if (closed || line.size() >= maxQueue) {
                        return false;
                    }
                    line.add(waiter);
                    waiting = line.size();
                }
            } finally {
                lock.unlock();
            }
            if (served == null) {
                serve(); // a place may have been left before the waiter was to be seen
                return true;
            }
            served.placeGiven();
            if (served == waiter) {
                return true;
            }
        }
    }

    /** Leaves the line without a place; {@code false} if the waiter was taken out of it, and is told why. */
    boolean leaveLine(Waiter waiter) {
        lock.lock();
        try {
            boolean left = line.remove(waiter);
            waiting = line.size();
            return left;
        } finally {
            lock.unlock();
        }
    }

    /** Takes everybody out of the line who waits to run in the pool, and returns them, to be told. */
    List<Waiter> sendAway() {
        lock.lock();
        try {
            return sendAway(line.stream().filter(Waiter::runsInPool).toList());
        } finally {
            lock.unlock();
        }
    }

    /** Lets nobody stand in line until {@link #open()}. Takes everybody out of it, and returns them, to be told. */
    List<Waiter> close() {
        lock.lock();
        try {
            closed = true;
            return sendAway(List.copyOf(line));
        } finally {
            lock.unlock();
        }
    }

    private List<Waiter> sendAway(List<Waiter> sent) {
        sent.forEach(line::remove);
        waiting = line.size();
        return sent;
    }

    void open() {
        closed = false;
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether anybody waits to run in the pool. */
    boolean anyForPool() {
        lock.lock();
        try {
            return line.stream().anyMatch(Waiter::runsInPool);
        } finally {
            lock.unlock();
        }
    }

    /** Gives a place back. */
    void leave() {
        taken.leave();
        if (waiting > 0) {
            serve();
        }
    }

    /** How many places are taken now. */
    int running() {
        return taken.now();
    }

    /** How often a place was taken. */
    long taken() {
        return taken.times();
    }

    int waiting() {
        return waiting;
    }

    private void serve() {
        for (Waiter waiter = next(); waiter != null; waiter = next()) {
            waiter.placeGiven();
        }
    }

    private @Nullable Waiter next() {
        lock.lock();
        try {
            return firstWithPlace();
        } finally {
            lock.unlock();
        }
    }

    /** Takes the first out of the line if there is a place for it. Under the lock. */
    private @Nullable Waiter firstWithPlace() {
        Iterator<Waiter> all = line.iterator();
        if (!all.hasNext() || !taken.take(maxConcurrent)) {
            return null;
        }
        Waiter first = all.next();
        all.remove();
        waiting = line.size();
        return first;
    }

    /** Somebody in the line. Told outside of the lock, once, what became of it; must not throw. */
    interface Waiter {

        /** Whether its call will run in the pool. */
        boolean runsInPool();

        void placeGiven();

        /**
         * It was taken out of the line, without a place.
         *
         * @param elsewhere runs what the application does because of that, which may take long
         */
        void sentAway(Executor elsewhere);
    }
}
