package dev.resilience.time;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Time that passes only when told to, for tests: an hour of backoff takes a millisecond.
 *
 * <p>Time moves in two ways: a test calls {@link #advance}, or a thread sleeps, which moves the time at once by as much
 * as the thread wanted to wait. Tasks that become due run on the thread that moved the time, in the order of their
 * times, each at its own time; a task scheduled without delay runs at once, or after the one that scheduled it. Threads
 * that are parked, such as those in the queue of a bulkhead, stay so until time reaches the end of their wait.
 *
 * <p>Safe for use by many threads.
 */
public final class ManualTimeSource implements TimeSource {

    /** What the tasks that run on a thread have scheduled without delay. */
    private static final ThreadLocal<@Nullable Deque<Runnable>> DUE_NOW = new ThreadLocal<>();

    private final Instant start;
    private final NavigableSet<Task> tasks =
            new TreeSet<>(Comparator.comparingLong(Task::due).thenComparingLong(Task::number));
    private final List<Sleeper> parked = new ArrayList<>();
    private long nanos;
    private long tasksScheduled;
    private Duration wallClockShift = Duration.ZERO;

    /** Starts at 2026-01-01T00:00:00Z. */
    public ManualTimeSource() {
        this(Instant.parse("2026-01-01T00:00:00Z"));
    }

    public ManualTimeSource(Instant start) {
        this.start = start;
    }

    /** Lets time pass, runs what becomes due and wakes the threads whose wait is over. */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("Time does not run backwards: " + duration);
        }
        long target = after(duration);
        for (Task task = moveToNextTask(target); task != null; task = moveToNextTask(target)) {
            task.action.run();
        }
    }

    /** Moves the wall clock alone, in either direction, as an operator or NTP would. */
    public synchronized void shiftWallClock(Duration by) {
        wallClockShift = wallClockShift.plus(by);
    }

    /** How much time has passed since this source was made. */
    public Duration elapsed() {
        return Duration.ofNanos(nanoTime());
    }

    @Override
    public synchronized long nanoTime() {
        return nanos;
    }

    @Override
    public synchronized Instant now() {
        return start.plusNanos(nanos).plus(wallClockShift);
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!duration.isNegative()) {
            advance(duration);
        }
    }

    @Override
    public void park(Object blocker, Duration atMost) {
        Sleeper sleeper;
        synchronized (this) {
            sleeper = new Sleeper(Thread.currentThread(), after(atMost));
            if (sleeper.until <= nanos) {
                return;
            }
            parked.add(sleeper);
        }
        try {
            LockSupport.park(blocker);
        } finally {
            synchronized (this) {
                parked.remove(sleeper);
            }
        }
    }

    @Override
    public Scheduled schedule(Duration delay, Runnable action) {
        if (delay.isZero() || delay.isNegative()) {
            runNow(action);
            return () -> {};
        }
        synchronized (this) {
            Task task = new Task(after(delay), tasksScheduled++, action);
            tasks.add(task);
            return () -> cancel(task);
        }
    }

    /** Runs the task on the thread that moves the time, as all others. */
    @Override
    public Scheduled schedule(Duration delay, Runnable task, Executor executor) {
        return schedule(delay, task);
    }

    /** What such a task schedules in its turn runs after it, not inside it: no chain is too long for the stack. */
    private void runNow(Runnable action) {
        Deque<Runnable> following = DUE_NOW.get();
        if (following != null) {
            following.add(action);
            return;
        }
        Deque<Runnable> due = new ArrayDeque<>(List.of(action));
        DUE_NOW.set(due);
        try {
            runAll(due);
        } finally {
            DUE_NOW.remove();
        }
    }

    /** One that throws does not keep the others from running. */
    private static void runAll(Deque<Runnable> due) {
        for (Runnable next = due.poll(); next != null; next = due.poll()) {
            try {
                next.run();
            } catch (RuntimeException | Error failure) {
                runAll(due);
                throw failure;
            }
        }
    }

    /** The number of threads that wait in {@link #park}: what a test awaits before it lets time pass. */
    public synchronized int parkedThreads() {
        return parked.size();
    }

    private synchronized long after(Duration duration) {
        long wanted = nanos + Durations.toNanos(duration);
        return wanted < 0 ? Long.MAX_VALUE : wanted;
    }

    private synchronized void cancel(Task task) {
        tasks.remove(task);
    }

    private synchronized @Nullable Task moveToNextTask(long target) {
        Task task = tasks.isEmpty() || tasks.first().due > target ? null : tasks.pollFirst();
        nanos = Math.max(nanos, task == null ? target : task.due);
        parked.stream()
                .filter(sleeper -> sleeper.until <= nanos)
                .forEach(sleeper -> LockSupport.unpark(sleeper.thread));
        return task;
    }

    private record Task(long due, long number, Runnable action) {}

    private record Sleeper(Thread thread, long until) {}
}
