package dev.resilience.spring.idempotency.simulation;

import dev.resilience.context.CallContext;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread on which tasks run one after the other, those of later runs as well: to start a thread costs more than a run. */
final class SimulatedThread extends Thread {

    private static final Deque<SimulatedThread> IDLE = new ConcurrentLinkedDeque<>();

    private volatile @Nullable SimulatedTask given;

    private SimulatedThread() {
        super(null, null, "simulated", 0, false);
        setDaemon(true);
    }

    /** Runs a task that holds the baton. */
    static void run(SimulatedTask task) {
        SimulatedThread idle = IDLE.poll();
        if (idle == null) {
            idle = new SimulatedThread();
            idle.given = task;
            idle.start();
        } else {
            idle.given = task;
            LockSupport.unpark(idle);
        }
    }

    @Override
    public void run() {
        while (true) {
            SimulatedTask task = given;
            if (task == null) {
                LockSupport.park(this);
                continue;
            }
            given = null;
            while (task != null) {
                CallContext.NONE.makeCurrent();
                task = task.runOn(this);
            }
            IDLE.push(this);
        }
    }
}
