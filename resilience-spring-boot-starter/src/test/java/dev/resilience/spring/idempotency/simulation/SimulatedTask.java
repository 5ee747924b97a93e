package dev.resilience.spring.idempotency.simulation;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What would be a thread elsewhere. It has a real one, because the engine needs a stack, and runs only with the {@link Baton}. */
final class SimulatedTask {

    private final Baton baton;
    private final String name;
    private final Machine machine;
    private final Runnable action;
    private @Nullable SimulatedThread thread;
    private BooleanSupplier condition = () -> false;
    private long until;
    private boolean interrupted;
    private @Nullable Object transaction;

    /**
     * @param start by the machine's clock
     */
    SimulatedTask(Baton baton, String name, Machine machine, Runnable action, long start) {
        this.baton = baton;
        this.name = name;
        this.machine = machine;
        this.action = action;
        this.until = start;
    }

    String name() {
        return name;
    }

    Machine machine() {
        return machine;
    }

    boolean hasStarted() {
        return thread != null;
    }

    boolean isOn(Thread other) {
        return thread == other;
    }

    /** The transaction that is bound to it, as Spring binds them to threads. */
    @Nullable
    Object transaction() {
        return transaction;
    }

    void bind(@Nullable Object bound) {
        transaction = bound;
    }

    /** Interrupts it; it notices when it goes on. */
    void interrupt() {
        interrupted = true;
    }

    boolean isInterrupted() {
        return interrupted;
    }

    void waitFor(BooleanSupplier what, long atMostUntil) {
        condition = what;
        until = atMostUntil;
    }

    /** On its own thread: what came from outside meanwhile is the thread's own business from now on. */
    void goesOn() {
        if (interrupted) {
            interrupted = false;
            Thread.currentThread().interrupt();
        }
    }

    boolean isReady() {
        return machine.runs() && (machine.clock() >= until || condition.getAsBoolean());
    }

    /** The moment from which on time alone makes it ready. */
    long readyAt() {
        return machine.whenClockShows(until);
    }

    void wake() {
        if (thread == null) {
            SimulatedThread.run(this);
        } else {
            LockSupport.unpark(thread);
        }
    }

    /** An interrupt that comes while others run is kept for later: parking would not block with it. */
    void awaitBaton() {
        boolean interruptedHere = Thread.interrupted();
        while (!baton.holds(this)) {
            LockSupport.park(baton);
            interruptedHere |= Thread.interrupted();
        }
        if (interruptedHere) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs it on this thread, which has the baton. Returns what is to be run here next. */
    @Nullable
    SimulatedTask runOn(SimulatedThread its) {
        thread = its;
        Throwable thrown = null;
        try {
            action.run();
        } catch (Throwable broken) {
            thrown = broken;
        }
        Thread.interrupted(); // which is not the next task's
        return baton.ended(this, thrown);
    }

    String describe() {
        String where = hasStarted() ? "\n" + stack() : " at " + readyAt() / 1_000_000 + " ms";
        return "  " + machine.name() + " " + name + where;
    }

    String stack() {
        SimulatedThread its = thread;
        return its == null
                ? ""
                : Arrays.stream(its.getStackTrace())
                        .limit(40)
                        .map(frame -> "      " + frame)
                        .collect(Collectors.joining("\n"));
    }
}
