package dev.resilience.bulkhead;

import dev.resilience.time.ShortLock;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The permits of a bulkhead and the queue of the calls that wait for one.
 *
 * <p>While the queue is empty, acquiring and releasing a permit is one atomic step each. The queue is kept under a lock,
 * which is taken only by a call that is about to wait, and by one that releases its permit while others wait. No permit is
 * lost between the two: the first releases its permit and then looks for waiters, the other enters the queue and then looks
 * for a permit, so at least one of them sees the other. A permit that is handed over belongs to the waiter at once; no later
 * call can acquire it.
 */
final class PermitQueue {

    private volatile int maxConcurrent;
    private volatile int maxQueue;
    private final PermitCounter permits = new PermitCounter();
    private final ShortLock lock = new ShortLock();
    private final Set<Waiter> queue = new LinkedHashSet<>();
    private volatile int waiting;
    private volatile boolean closed;

    PermitQueue(int maxConcurrent, int maxQueue) {
        this.maxConcurrent = maxConcurrent;
        this.maxQueue = maxQueue;
    }

    /**
     * Changes the limits; running calls keep their permits, waiting ones their place in the queue until a permit is released or
     * {@link #limit(IntSupplier)} serves them.
     */
    void limit(int concurrent, int queue) {
        lock.get(() -> {
            maxConcurrent = concurrent;
            maxQueue = queue;
            return queue;
        });
    }

    /** Changes how many permits there are, and serves those that wait; the last of several threads to come sets what holds then. */
    void limit(IntSupplier concurrent) {
        lock.get(() -> maxConcurrent = concurrent.getAsInt());
        serve();
    }

    /** How many permits there are now. */
    int limit() {
        return maxConcurrent;
    }

    /** How many calls may wait. */
    int queueLimit() {
        return maxQueue;
    }

    /** Acquires a permit if there is one and no call waits for it. */
    boolean tryAcquire() {
        return waiting == 0 && permits.tryAcquire(maxConcurrent);
    }

    /**
     * Enters the queue, or returns {@code false} if it is full. A waiter that could have a permit by now does not count as
     * waiting: no call is refused for the sake of one that is about to run. The waiter may be granted its permit at once.
     */
    boolean enqueue(Waiter waiter) {
        while (true) {
            Waiter served;
            lock.lock();
            try {
                served = firstWithPermit();
                if (served == null && queue.isEmpty() && permits.tryAcquire(maxConcurrent)) {
                    served = waiter;
                }
                if (served == null) {
                    if (closed || queue.size() >= maxQueue) {
                        return false;
                    }
                    queue.add(waiter);
                    waiting = queue.size();
                }
            } finally {
                lock.unlock();
            }
            if (served == null) {
                serve(); // a permit may have been released before the waiter could be seen
                return true;
            }
            served.permitGranted();
            if (served == waiter) {
                return true;
            }
        }
    }

    /** Leaves the queue without a permit; {@code false} if the waiter was taken out of it before. */
    boolean withdraw(Waiter waiter) {
        return lock.get(() -> {
            boolean left = queue.remove(waiter);
            waiting = queue.size();
            return left;
        });
    }

    /** Lets no call wait until {@link #open()}, and rejects those that do. */
    void close() {
        closed = true;
        rejectIf(waiter -> true);
    }

    /** Takes waiters out of the queue, without a permit. */
    void rejectIf(Predicate<Waiter> isChosen) {
        List<Waiter> rejected = lock.get(() -> {
            List<Waiter> chosen = queue.stream().filter(isChosen).toList();
            chosen.forEach(queue::remove);
            waiting = queue.size();
            return chosen;
        });
        rejected.forEach(Waiter::rejected);
    }

    void open() {
        closed = false;
    }

    boolean isClosed() {
        return closed;
    }

    /** Gives a permit back. */
    void release() {
        permits.release();
        if (waiting > 0) {
            serve();
        }
    }

    /** How many permits are held now. */
    int running() {
        return permits.now();
    }

    /** How often a permit was acquired. */
    long acquisitions() {
        return permits.times();
    }

    int waiting() {
        return waiting;
    }

    private void serve() {
        Waiter next = lock.<@Nullable Waiter>get(this::firstWithPermit);
        while (next != null) {
            next.permitGranted();
            next = lock.<@Nullable Waiter>get(this::firstWithPermit);
        }
    }

    /** Takes the first out of the queue if there is a permit for it. Under the lock. */
    private @Nullable Waiter firstWithPermit() {
        if (queue.isEmpty() || !permits.tryAcquire(maxConcurrent)) {
            return null;
        }
        Iterator<Waiter> waiters = queue.iterator();
        Waiter first = waiters.next();
        waiters.remove();
        waiting = queue.size();
        return first;
    }

    /** A call in the queue. It is called outside the lock, once, when it has been taken out; must not throw. */
    interface Waiter {

        /** Whether its call will run in the pool. */
        boolean runsInPool();

        void permitGranted();

        /** It has no permit, and none will be granted. Returns without waiting. */
        void rejected();
    }
}
