package dev.resilience.time;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that wait for their times behind one timer, the one of the task that is due first. A lock decides between the time of
 * a task and its cancellation. Those that are due at the same time come in the order in which they were added. Not for applications.
 *
 * <p>The clock is one that does not go back. With one that does, a task behind the first is late by as much at the most; with
 * one that jumps ahead, it comes with the next timer. No task is lost, and none comes twice.
 *
 * <p>Safe for use by many threads.
 */
public final class DelayedTasks {

    private final TimeSource time;
    private final BiFunction<Duration, Runnable, TimeSource.Scheduled> timers;
    private final Consumer<DelayedTask> onDue;
    private final ReentrantLock lock = new ShortLock();
    private final DelayedTaskHeap waiting = new DelayedTaskHeap();
    private boolean isSet; // the timer, for the time in timerDue
    private long timerDue;
    private int timersSet;
    private TimeSource.@Nullable Scheduled timer;

    /**
     * @param timers sets a timer, whose action is short
     * @param onDue takes a task whose time has come, and lets it go on without blocking
     */
    public DelayedTasks(
            TimeSource time, BiFunction<Duration, Runnable, TimeSource.Scheduled> timers, Consumer<DelayedTask> onDue) {
        this.time = time;
        this.timers = timers;
        this.onDue = onDue;
    }

    /**
     * Lets a task wait, which is due at once if the delay is zero or less. Nothing happens if it was {@linkplain #remove
     * removed} before.
     *
     * @throws RuntimeException what the clock or the timer throws; then the task does not wait
     */
    public void add(DelayedTask task, Duration delay) {
        boolean waits = !delay.isZero() && !delay.isNegative();
        lock.lock();
        try {
            if (task.position == DelayedTask.OVER) {
                return;
            }
            if (waits) {
                insert(task, delay);
            } else {
                task.position = DelayedTask.OVER;
            }
        } finally {
            lock.unlock();
        }
        if (!waits) {
            onDue.accept(task);
        }
    }

    private void insert(DelayedTask task, Duration delay) {
        task.due = time.nanoTime() + Math.min(Durations.toNanos(delay), Long.MAX_VALUE / 2);
        waiting.add(task);
        try {
            setTimer();
        } catch (Throwable noTimer) {
            waiting.take(task);
            throw noTimer;
        }
    }

    /** Makes a task new that has waited, so that it can wait again. */
    public void renew(DelayedTask task) {
        lock.lock();
        try {
            task.position = DelayedTask.NOT_ADDED;
        } finally {
            lock.unlock();
        }
    }

    /** Keeps a task from waiting; {@code false} if it is over, because its time has come or it was removed before. */
    public boolean remove(DelayedTask task) {
        lock.lock();
        try {
            if (task.position == DelayedTask.OVER) {
                return false;
            }
            if (task.position == DelayedTask.NOT_ADDED) {
                task.position = DelayedTask.OVER;
                return true;
            }
            waiting.take(task);
            if (waiting.isEmpty()) {
                cancelTimer();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Takes all tasks out, in the order of their times. */
    public List<DelayedTask> removeAll() {
        lock.lock();
        try {
            List<DelayedTask> all = new ArrayList<>(waiting.size());
            while (!waiting.isEmpty()) {
                all.add(waiting.take(waiting.first()));
            }
            cancelTimer();
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** For the task that is due first, unless one is set that goes off before. With the lock. */
    private void setTimer() {
        long due = waiting.first().due;
        if (isSet && timerDue - due <= 0) {
            return;
        }
        TimeSource.Scheduled former = timer;
        int number = ++timersSet;
        isSet = true; // before, because it may go off at once
        timerDue = due;
        try {
            timer = timers.apply(Duration.ofNanos(Math.max(1, due - time.nanoTime())), () -> timerGoesOff(number, due));
        } catch (Throwable noTimer) {
            isSet = false; // the former one still goes off, and sets the next
            throw noTimer;
        }
        if (former != null) {
            former.cancel();
        }
    }

    private void cancelTimer() {
        TimeSource.Scheduled set = timer;
        timer = null;
        isSet = false;
        if (set != null) {
            set.cancel();
        }
    }

    /** The task for which it was set is due, be the clock of another opinion or broken. */
    private void timerGoesOff(int timerNumber, long timeOfTimer) {
        List<DelayedTask> due = new ArrayList<>();
        lock.lock();
        try {
            if (timerNumber == timersSet) {
                isSet = false;
                timer = null;
            }
            long now = latest(timeOfTimer);
            while (!waiting.isEmpty() && waiting.first().due - now <= 0) {
                due.add(waiting.take(waiting.first()));
            }
            setNextTimer(due);
        } finally {
            lock.unlock();
        }
        goOn(due);
    }

    /** One that cannot go on does not keep the others from it. */
    private void goOn(List<DelayedTask> due) {
        Throwable failure = null;
        for (DelayedTask task : due) {
            try {
                onDue.accept(task);
            } catch (RuntimeException | Error failed) {
                failure = failed;
            }
        }
        if (failure instanceof Error error) {
            throw error;
        } else if (failure instanceof RuntimeException exception) {
            throw exception;
        }
    }

    private long latest(long timeOfTimer) {
        try {
            long now = time.nanoTime();
            return now - timeOfTimer > 0 ? now : timeOfTimer;
        } catch (RuntimeException | Error broken) {
            return timeOfTimer;
        }
    }

    /** Where no timer can be set, what waits is due: too early is better than never. */
    private void setNextTimer(List<DelayedTask> due) {
        try {
            if (!waiting.isEmpty()) {
                setTimer();
            }
        } catch (RuntimeException | Error noTimer) {
            while (!waiting.isEmpty()) {
                due.add(waiting.take(waiting.first()));
            }
        }
    }
}
