package dev.resilience.spring.idempotency.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the real engine as if it were a simulation, in the way of FoundationDB and TigerBeetle: of all threads exactly one
 * holds the baton and runs, and every choice comes from one seeded source of random numbers. So a seed is a run, and a
 * failure that was seen once is seen as often as one likes.
 *
 * <p>A task hands the baton over wherever the order of things may matter: when it sleeps or parks, before and after every
 * statement of the store, when it ends. Between two such points it has the world to itself. Who goes on is chosen among the
 * tasks that can. Virtual time moves when none can, to the next moment at which one can, and a little at some choices, for
 * work takes time as well.
 *
 * <p>What it gives up: it sees no hand-over that the code makes by itself. A task that blocks in a lock of the JDK while
 * another one has it stops the run, which fails with both stacks; data races between two hand-overs are for the {@code
 * *InterleavingTests}.
 */
final class Baton {

    private static final int MOST_STEPS = 40_000;
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final Random random;
    private final Trace trace = new Trace(this);
    private final Agenda agenda = new Agenda();
    private final int stickiness;
    private long now;
    private int number;
    private int steps;
    private int progress;
    private long horizon = Long.MAX_VALUE;
    private volatile @Nullable SimulatedTask holder;
    private volatile boolean stopping;
    private volatile boolean over;
    private @Nullable Throwable failure;
    private Runnable atEnd = () -> {};
    private final Thread owner = Thread.currentThread();

    Baton(long seed) {
        this.random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
        this.stickiness = random.nextInt(4) * 25;
    }

    Trace trace() {
        return trace;
    }

    /** True time, in nanoseconds, which no machine knows. */
    long now() {
        return now;
    }

    int steps() {
        return steps;
    }

    /** For names. */
    int nextNumber() {
        return ++number;
    }

    int choose(int bound) {
        return random.nextInt(bound);
    }

    @SafeVarargs
    final <T> T chooseFrom(T... all) {
        return all[random.nextInt(all.length)];
    }

    /** Whether something happens of which so many in a thousand do. */
    boolean chance(int perMille) {
        return perMille > 0 && random.nextInt(1000) < perMille;
    }

    Duration chooseUpTo(Duration most) {
        return Duration.ofMillis(random.nextInt((int) most.toMillis() + 1));
    }

    SimulatedTask start(String name, Machine machine, Runnable action) {
        return startAfter(Duration.ZERO, name, machine, action);
    }

    /** Starts a task when so much time has passed by the machine's clock. */
    SimulatedTask startAfter(Duration delay, String name, Machine machine, Runnable action) {
        SimulatedTask task = new SimulatedTask(this, name, machine, action, machine.after(delay));
        if (!stopping) {
            agenda.add(task);
        }
        return task;
    }

    void cancel(SimulatedTask task) {
        if (!task.hasStarted()) {
            agenda.remove(task);
        }
    }

    /** Has something happen without a thread: a machine fails, a server lets go of a dead client. */
    void after(Duration delay, Runnable event) {
        agenda.add(now + delay.toNanos(), event);
    }

    /** The end of the world: a run that goes on until then has left something behind. */
    void endsAfter(Duration most) {
        horizon = now + most.toNanos();
    }

    /** Something to be done when there is nothing left to do, before what crashed machines have left is cleared away. */
    void atEnd(Runnable last) {
        atEnd = last;
    }

    /** The task that runs. */
    SimulatedTask current() {
        SimulatedTask task = holder;
        if (task == null || !task.isOn(Thread.currentThread())) {
            throw new IllegalStateException(Thread.currentThread() + " does not hold the baton");
        }
        return task;
    }

    /** Lets others go on. */
    void handOver() {
        await(() -> true, Long.MAX_VALUE);
    }

    /** Waits for a condition that another task or an event makes true, or for a moment of the machine's clock. */
    void await(BooleanSupplier condition, long until) {
        progress++;
        pause(condition, until);
    }

    private void pause(BooleanSupplier condition, long until) {
        SimulatedTask me = current();
        if (stopping) {
            throw new Stopped();
        }
        me.waitFor(condition, until);
        SimulatedTask next = next(me);
        if (next != me) {
            pass(next);
            me.awaitBaton();
        }
        if (stopping) {
            throw new Stopped();
        }
        me.goesOn();
    }

    /** Until another task has done something, which may have unparked this one; possibly more often than needed. */
    void awaitOthers(long until) {
        int seen = progress;
        SimulatedTask me = current();
        pause(() -> progress != seen || me.isInterrupted(), until);
    }

    boolean holds(SimulatedTask task) {
        return holder == task;
    }

    /** On the thread of a task that has ended. Returns the next one if it has no thread yet, to be run on this one. */
    @Nullable
    SimulatedTask ended(SimulatedTask task, @Nullable Throwable thrown) {
        if (thrown != null && !(thrown instanceof Stopped)) {
            fail(thrown);
        }
        agenda.remove(task);
        progress++;
        SimulatedTask next = next(null);
        if (next != null && !next.hasStarted()) {
            holder = next;
            return next;
        }
        pass(next);
        return null;
    }

    private void pass(@Nullable SimulatedTask next) {
        holder = next;
        if (next == null) {
            over = true;
            LockSupport.unpark(owner);
        } else {
            next.wake();
        }
    }

    private void fail(Throwable thrown) {
        if (failure == null) {
            failure = thrown;
        }
        stopping = true;
    }

    private @Nullable SimulatedTask next(@Nullable SimulatedTask me) {
        SimulatedTask next = null;
        try {
            next = stopping ? null : chosen(me);
        } catch (Throwable broken) {
            fail(broken);
        }
        if (next == null) {
            stopping = true; // every thread unwinds, one by one, so that it can be used by the next run
            next = agenda.firstStarted();
        }
        return next;
    }

    private @Nullable SimulatedTask chosen(@Nullable SimulatedTask me) {
        if (++steps > MOST_STEPS) {
            throw new AssertionError("The run does not end:\n" + agenda.unfinished());
        }
        now += 1_000 + (chance(60) ? random.nextInt(4_000_000) : 0);
        while (true) {
            agenda.runEvents(now);
            List<SimulatedTask> ready = agenda.ready();
            if (!ready.isEmpty()) {
                boolean stays = random.nextInt(100) < stickiness && me != null && ready.contains(me);
                return stays ? me : ready.get(random.nextInt(ready.size()));
            }
            long then = agenda.nextMoment();
            if (then == Long.MAX_VALUE) {
                return noneLeft();
            }
            if (then > horizon) {
                throw new AssertionError("Something is left behind:\n" + agenda.unfinished());
            }
            now = Math.max(now, then);
        }
    }

    /** What dead machines have left is left to them. */
    private @Nullable SimulatedTask noneLeft() {
        if (!agenda.unfinished().isEmpty()) {
            throw new AssertionError("Deadlock:\n" + agenda.unfinished());
        }
        atEnd.run();
        return null;
    }

    /** Runs everything that was started, and what that starts, to its end. Called by the thread that made this. */
    void run() {
        pass(next(null));
        int seen = -1;
        long since = System.nanoTime();
        while (!over) {
            LockSupport.parkNanos(this, Duration.ofMillis(100).toNanos());
            if (steps != seen) {
                seen = steps;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > PATIENCE.toNanos()) {
                SimulatedTask blocked = holder;
                String stack = blocked == null ? "" : blocked.stack();
                throw new AssertionError("A task blocks where the simulation cannot see it:\n" + stack, failure);
            }
        }
        if (failure != null) {
            throw failure instanceof AssertionError seenBefore ? seenBefore : new AssertionError(failure);
        }
    }
}
