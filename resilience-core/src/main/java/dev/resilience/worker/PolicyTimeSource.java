package dev.resilience.worker;

import dev.resilience.time.DelayedTask;
import dev.resilience.time.DelayedTasks;
import dev.resilience.time.StoppableTime;
import dev.resilience.time.TimeSource;
import dev.resilience.time.WaitStoppedException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The time of one policy: what goes on after a wait runs on threads that the policy does not share, so that a method that
 * blocks there keeps no other policy waiting; and all its waits can be ended at once, when the application ends.
 *
 * <p>The threads are virtual where the JDK has them, and as many as there are tasks. On an older JDK they are daemons, and
 * their number is bounded; a task that finds all of them busy waits for one. Urgent tasks have the threads of the time
 * source behind this one, and are not ended.
 *
 * <p>Safe for use by many threads.
 */
public final class PolicyTimeSource implements StoppableTime, AutoCloseable {

    /** How many platform threads a policy has at the most, unless the application says otherwise. */
    public static final int MOST_THREADS = Math.max(16, 4 * Runtime.getRuntime().availableProcessors());

    private final TimeSource time;
    private final BoundedExecutor threads;
    private final StalledQueueLog watchedThreads;
    private final RunningBodies bodies = new RunningBodies();
    private final DelayedTasks waits;
    private final Set<DelayedTask> due = ConcurrentHashMap.newKeySet(); // handed over, but not begun
    private final Set<InterruptibleExecution> sleeps = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    /**
     * @param prefix what the names of the threads begin with; a number follows
     * @param time what measures it
     * @param mostThreads how many threads there are at the most, virtual ones too; {@code null} for as many virtual ones
     *     as are needed or, on a JDK without, {@link #MOST_THREADS}
     */
    public PolicyTimeSource(String prefix, TimeSource time, @Nullable Integer mostThreads) {
        this.time = time;
        this.threads = VirtualThreads.exist()
                ? BoundedExecutor.ofVirtualThreads(prefix, mostThreads == null ? Integer.MAX_VALUE : mostThreads)
                : BoundedExecutor.ofPlatformThreads(prefix, mostThreads == null ? MOST_THREADS : mostThreads);
        this.watchedThreads = new StalledQueueLog(prefix, time, threads);
        this.waits = new DelayedTasks(
                time,
                (delay, handsOver) -> CancellableTimer.quiet(time.schedule(delay, handsOver, Runnable::run)),
                this::handOver);
    }

    /** This source of time if it is a policy's own already, and otherwise one that is, with as many threads as usual. */
    public static PolicyTimeSource of(String prefix, TimeSource time) {
        return time instanceof PolicyTimeSource own ? own : new PolicyTimeSource(prefix, time, null);
    }

    /** Threads that are busy with what goes on after a wait. */
    public int busyThreads() {
        return threads.busy();
    }

    /** Tasks whose wait is over, and which now wait for a thread. */
    public int queued() {
        return threads.queued();
    }

    /** The bodies that run after a wait. */
    public RunningBodies bodies() {
        return bodies;
    }

    /**
     * Ends all waits, on few threads, and those that begin later at once, until {@link #resume()}. Returns without waiting.
     */
    public void stop() {
        stopped = true;
        ShutdownTasks.run(time, ends -> {
            waits.removeAll().forEach(wait -> ends.execute(wait::onDue));
            due.forEach(wait -> endIfQueued(wait, ends));
            sleeps.forEach(InterruptibleExecution::interrupt);
        });
    }

    /** Interrupts the bodies that run after a wait, and cancels the stages that they have returned. */
    public void stopRunning() {
        ShutdownTasks.run(time, bodies::stop);
    }

    /** Lets waits be again what they are. */
    public void resume() {
        stopped = false;
    }

    /** Ends all waits, and lets go of the threads as soon as they are idle. */
    @Override
    public void close() {
        stop();
        threads.close();
    }

    @Override
    public boolean isStopped() {
        return stopped;
    }

    @Override
    public long nanoTime() {
        return time.nanoTime();
    }

    @Override
    public long coarseNanoTime() {
        return time.coarseNanoTime();
    }

    @Override
    public Instant now() {
        return time.now();
    }

    /**
     * {@inheritDoc}
     *
     * @throws WaitStoppedException if it was ended
     */
    @Override
    public void sleep(Duration duration) throws InterruptedException {
        InterruptibleExecution sleeping = new InterruptibleExecution();
        sleeping.begin();
        try {
            sleeps.add(sleeping);
            if (stopped) {
                sleeping.interrupt();
            }
            time.sleep(duration);
        } catch (InterruptedException interrupted) {
            if (isUndisturbed(sleeping)) {
                throw interrupted;
            }
            throw new WaitStoppedException();
        } catch (Throwable broken) { // a clock
            isUndisturbed(sleeping);
            throw broken;
        }
        if (!isUndisturbed(sleeping)) {
            throw new WaitStoppedException();
        }
    }

    private boolean isUndisturbed(InterruptibleExecution sleeping) {
        sleeps.remove(sleeping);
        return sleeping.end();
    }

    @Override
    public void park(Object blocker, Duration atMost) {
        time.park(blocker, atMost);
    }

    @Override
    public Scheduled schedule(Duration delay, Runnable task) {
        return schedule(delay, task, watchedThreads);
    }

    /** As {@link #schedule(Duration, Runnable)}; an executor that does not take the task is replaced by the policy's. */
    @Override
    public Scheduled schedule(Duration delay, Runnable task, Executor executor) {
        ScheduledTask wait = new ScheduledTask(task, executor);
        startWait(wait, delay);
        return () -> endWait(wait);
    }

    @Override
    public void startWait(DelayedTask wait, Duration delay) {
        waits.add(wait, delay);
        if (stopped && waits.remove(wait)) {
            time.scheduleUrgent(Duration.ZERO, wait::onDue);
        }
    }

    @Override
    public boolean endWait(DelayedTask wait) {
        return waits.remove(wait) || due.remove(wait);
    }

    @Override
    public void renewWait(DelayedTask wait) {
        waits.renew(wait);
    }

    /** Where it goes on it may have to wait for a thread, and that wait can be ended, too. */
    private void handOver(DelayedTask wait) {
        due.add(wait);
        Executor executor = wait.executor();
        Runnable task = () -> {
            if (due.remove(wait)) {
                wait.onDue();
            }
        };
        Executor there = executor == null ? watchedThreads : executor;
        try {
            time.schedule(Duration.ZERO, task, ready -> execute(ready, there));
        } catch (RuntimeException | Error broken) {
            if (!due.contains(wait)) {
                throw broken; // it has begun
            }
            execute(task, there); // a clock is broken; the task begins once, however often it is handed over
        }
        if (stopped) {
            endIfQueued(wait, ends -> time.scheduleUrgent(Duration.ZERO, ends));
        }
    }

    /** By the executor, by the policy's own threads, or by any thread at all: the call must not be lost. */
    private void execute(Runnable task, Executor executor) {
        try {
            executor.execute(task);
        } catch (RuntimeException | Error refused) {
            try {
                watchedThreads.execute(task);
            } catch (OutOfMemoryError noThread) {
                time.scheduleUrgent(Duration.ZERO, task);
            }
        }
    }

    /** Not behind what blocks the policy's threads. */
    private void endIfQueued(DelayedTask wait, Executor elsewhere) {
        if (due.remove(wait)) {
            elsewhere.execute(wait::onDue);
        }
    }

    @Override
    public Scheduled scheduleUrgent(Duration delay, Runnable task) {
        return time.scheduleUrgent(delay, task);
    }
}
