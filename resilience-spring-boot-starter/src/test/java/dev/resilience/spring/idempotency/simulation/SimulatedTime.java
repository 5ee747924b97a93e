package dev.resilience.spring.idempotency.simulation;

import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;

/** The time of a machine: every wait of the engine hands the {@link Baton} over, and every timer is a task of its own. */
final class SimulatedTime implements TimeSource {

    private final Baton baton;
    private final Machine machine;

    SimulatedTime(Baton baton, Machine machine) {
        this.baton = baton;
        this.machine = machine;
    }

    @Override
    public long nanoTime() {
        return machine.clock();
    }

    @Override
    public Instant now() {
        return machine.wallClock();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        SimulatedTask me = baton.current();
        baton.await(me::isInterrupted, machine.after(duration));
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** As a real one it returns for no reason at times, and at once with the thread interrupted. */
    @Override
    public void park(Object blocker, Duration atMost) {
        if (!Thread.currentThread().isInterrupted()) {
            baton.awaitOthers(machine.after(atMost));
        }
    }

    @Override
    public Scheduled schedule(Duration delay, Runnable task) {
        SimulatedTask timer = baton.startAfter(delay, "timer", machine, task);
        return () -> baton.cancel(timer);
    }

    /** On a thread of the simulation, as all others. */
    @Override
    public Scheduled schedule(Duration delay, Runnable task, Executor executor) {
        return schedule(delay, task);
    }
}
