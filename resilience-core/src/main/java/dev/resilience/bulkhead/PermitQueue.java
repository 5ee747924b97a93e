package dev.resilience.bulkhead;

import dev.resilience.time.DelayedTask;
import dev.resilience.time.ShortLock;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
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
    private final PermitCounter taken = new PermitCounter();
    private final ReentrantLock lock = new ShortLock();
    private final WaiterList queue = new WaiterList();
    private volatile int waiting;
    private volatile boolean closed;

    PermitQueue(int maxConcurrent, int maxQueue) {
        this.maxConcurrent = maxConcurrent;
        this.maxQueue = maxQueue;
    }

    /** Changes the limits; running calls keep their permits, waiting ones their place in the queue. */
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

    /** Acquires a permit if there is one and no call waits for it. */
    boolean tryAcquire() {
        return waiting == 0 && taken.tryAcquire(maxConcurrent);
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
                if (served == null && queue.isEmpty() && taken.tryAcquire(maxConcurrent)) {
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

    /** Leaves the queue without a permit; {@code false} if the waiter was taken out of it, and hears why. */
    boolean withdraw(Waiter waiter) {
        lock.lock();
        try {
            boolean left = queue.remove(waiter);
            waiting = queue.size();
            return left;
        } finally {
            lock.unlock();
        }
    }

    /** Takes all waiters for the pool out of the queue, and returns them, to be told. */
    List<Waiter> reject() {
        lock.lock();
        try {
            return reject(queue.all().stream().filter(Waiter::runsInPool).toList());
        } finally {
            lock.unlock();
        }
    }

    /** Lets no call wait until {@link #open()}. Takes all waiters out of the queue, and returns them, to be told. */
    List<Waiter> close() {
        lock.lock();
        try {
            closed = true;
            return reject(queue.all());
        } finally {
            lock.unlock();
        }
    }

    private List<Waiter> reject(List<Waiter> sent) {
        sent.forEach(queue::remove);
        waiting = queue.size();
        return sent;
    }

    void open() {
        closed = false;
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether a call waits to run in the pool. */
    boolean anyForPool() {
        lock.lock();
        try {
            return queue.all().stream().anyMatch(Waiter::runsInPool);
        } finally {
            lock.unlock();
        }
    }

    /** Gives a permit back. */
    void release() {
        taken.release();
        if (waiting > 0) {
            serve();
        }
    }

    /** How many permits are taken now. */
    int running() {
        return taken.now();
    }

    /** How often a permit was acquired. */
    long taken() {
        return taken.times();
    }

    int waiting() {
        return waiting;
    }

    private void serve() {
        for (Waiter waiter = next(); waiter != null; waiter = next()) {
            waiter.permitGranted();
        }
    }

    private @Nullable Waiter next() {
        lock.lock();
        try {
            return firstWithPermit();
        } finally {
            lock.unlock();
        }
    }

    /** Takes the first out of the queue if there is a permit for it. Under the lock. */
    private @Nullable Waiter firstWithPermit() {
        Waiter first = queue.first();
        if (first == null || !taken.tryAcquire(maxConcurrent)) {
            return null;
        }
        queue.remove(first);
        waiting = queue.size();
        return first;
    }

    /**
     * A call in the queue. Hears outside of the lock, once, what became of it; must not throw. It is its own link of the queue
     * and, if it waits without a thread, its own timer, so that a call that waits makes no other objects.
     */
    abstract static class Waiter extends DelayedTask {

        // with the lock
        @Nullable
        Waiter before;

        @Nullable
        Waiter after;

        boolean isQueued;

        /** Whether its call will run in the pool. */
        abstract boolean runsInPool();

        abstract void permitGranted();

        /**
         * It was taken out of the queue, without a permit.
         *
         * @param elsewhere runs what the application does because of that, which may take long
         */
        abstract void rejected(Executor elsewhere);

        /** A thread that waits measures its time itself. */
        @Override
        public void onDue() {}
    }
}
