package dev.resilience.bulkhead;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The places of a bulkhead and the line of those who wait for one.
 *
 * <p>While nobody waits, taking and leaving a place is one compare-and-set each. The line is kept under a lock, which
 * only those take who are about to wait, or who leave while somebody waits. A place is never lost between the two: who
 * leaves first gives the place back and then looks for waiters, who comes first stands in line and then looks for a
 * place, so at least one of them sees the other. A place that is handed over belongs to the waiter at once; nobody who
 * comes later can take it.
 */
final class Places {

    private final int maxQueue;
    private final AtomicInteger free;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Waiter> line = new LinkedHashSet<>();
    private volatile int waiting;

    Places(int maxConcurrent, int maxQueue) {
        this.maxQueue = maxQueue;
        this.free = new AtomicInteger(maxConcurrent);
    }

    /** Takes a place if there is one and nobody waits for it. */
    boolean tryTake() {
        return waiting == 0 && takeFree();
    }

    /** Stands in line, or returns {@code false} if the line is full. The waiter may be given its place at once. */
    boolean standInLine(Waiter waiter) {
        lock.lock();
        try {
            if (line.size() >= maxQueue) {
                return false;
            }
            line.add(waiter);
            waiting = line.size();
        } finally {
            lock.unlock();
        }
        serve();
        return true;
    }

    /** Leaves the line without a place; {@code false} if the waiter has been given one. */
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

    /** Gives a place back. */
    void leave() {
        free.incrementAndGet();
        if (waiting > 0) {
            serve();
        }
    }

    int free() {
        return free.get();
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
            Iterator<Waiter> first = line.iterator();
            if (!first.hasNext() || !takeFree()) {
                return null;
            }
            Waiter waiter = first.next();
            first.remove();
            waiting = line.size();
            return waiter;
        } finally {
            lock.unlock();
        }
    }

    private boolean takeFree() {
        int now = free.get();
        while (now > 0) {
            if (free.compareAndSet(now, now - 1)) {
                return true;
            }
            now = free.get();
        }
        return false;
    }

    /** Somebody in the line. Told of its place outside of the lock. */
    interface Waiter {

        void placeGiven();
    }
}
