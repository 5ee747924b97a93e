package dev.resilience.worker;

import dev.resilience.time.StoppableTime;
import dev.resilience.time.TimeSource;
import dev.resilience.time.WaitStoppedException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
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
    private final Set<Wait> waits = ConcurrentHashMap.newKeySet();
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
        ShutdownTasks.run(time, ends -> waits.forEach(wait -> wait.end(ends)));
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
        Wait wait = ends -> sleeping.interrupt();
        sleeping.begin();
        try {
            waits.add(wait);
            if (stopped) {
                sleeping.interrupt();
            }
            time.sleep(duration);
        } catch (InterruptedException interrupted) {
            if (isUndisturbed(sleeping, wait)) {
                throw interrupted;
            }
            throw new WaitStoppedException();
        } catch (Throwable broken) { // a clock
            isUndisturbed(sleeping, wait);
            throw broken;
        }
        if (!isUndisturbed(sleeping, wait)) {
            throw new WaitStoppedException();
        }
    }

    private boolean isUndisturbed(InterruptibleExecution sleeping, Wait wait) {
        waits.remove(wait);
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
        Timer timer = new Timer(task, executor);
        waits.add(timer);
        try {
            timer.set(delay);
        } catch (Throwable noTimer) {
            waits.remove(timer);
            throw noTimer;
        }
        if (stopped) {
            timer.end(ended -> time.scheduleUrgent(Duration.ZERO, ended));
        }
        return timer;
    }

    @Override
    public Scheduled scheduleUrgent(Duration delay, Runnable task) {
        return time.scheduleUrgent(delay, task);
    }

    /** Something that waits, and can be told to do so no longer. */
    private interface Wait {

        /** What comes after the wait runs elsewhere. */
        void end(Executor elsewhere);
    }

    /** A wait without a thread. The thread that takes it out of the set runs its task, unless it is cancelled. */
    private final class Timer implements Wait, Scheduled {

        private final Runnable task;
        private final Executor executor;
        private final AtomicBoolean over = new AtomicBoolean();
        private volatile @Nullable Scheduled timer;

        Timer(Runnable task, Executor executor) {
            this.task = task;
            this.executor = executor;
        }

        void set(Duration delay) {
            timer = time.schedule(delay, this::run, this::handOver);
            if (over.get()) {
                cancelTimer();
            }
        }

        private void run() {
            if (over.compareAndSet(false, true)) {
                waits.remove(this);
                task.run();
            }
        }

        /** To the executor, to the policy's own threads, or to any thread at all: the call must not be lost. */
        private void handOver(Runnable due) {
            try {
                executor.execute(due);
            } catch (RuntimeException | Error refused) {
                try {
                    watchedThreads.execute(due);
                } catch (OutOfMemoryError noThread) {
                    time.scheduleUrgent(Duration.ZERO, due);
                }
            }
        }

        /** Not behind what blocks the policy's threads. */
        @Override
        public void end(Executor elsewhere) {
            if (!over.get()) {
                elsewhere.execute(this::endNow);
            }
        }

        private void endNow() {
            try {
                cancelTimer();
            } finally {
                run();
            }
        }

        @Override
        public void cancel() {
            if (over.compareAndSet(false, true)) {
                waits.remove(this);
                cancelTimer();
            }
        }

        private void cancelTimer() {
            Scheduled set = timer;
            if (set != null) {
                set.cancel();
            }
        }
    }
}
