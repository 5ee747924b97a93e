package dev.resilience.pipeline;

import dev.resilience.pipeline.AsyncStep.Next;
import dev.resilience.pipeline.InterruptibleExecution.Stoppable;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import dev.resilience.time.WorkerThreads;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The waits of the calls of one policy. What goes on after a wait runs on threads that the policy does not share, so that a
 * method that blocks there keeps no other policy waiting; and all waits can be ended at once, when the application ends.
 *
 * <p>The threads are virtual where the JDK has them, and as many as there are tasks. On an older JDK they are daemons, and
 * their number is bounded; a task that finds all of them busy waits for one. Not for applications. Safe for use by many threads.
 */
public final class Waits implements AutoCloseable {

    private final TimeSource time;
    private final ThreadPoolExecutor threads;
    private final Set<Pause> pauses = ConcurrentHashMap.newKeySet();
    private final Set<InterruptibleExecution> sleeps = ConcurrentHashMap.newKeySet();
    private final Set<Stoppable> running = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    /**
     * @param prefix what the names of the threads begin with; a number follows
     * @param time what measures it
     * @param maxThreads how many threads there are at the most, virtual ones too; {@code null} for as many virtual ones as
     *     are needed or, on a JDK without, {@link WorkerThreads#MAX_THREADS}
     */
    public Waits(String prefix, TimeSource time, @Nullable Integer maxThreads) {
        this.time = time;
        boolean virtual = WorkerThreads.canBeVirtual();
        int most = virtual ? Integer.MAX_VALUE : WorkerThreads.MAX_THREADS;
        this.threads = WorkerThreads.pool(prefix, maxThreads == null ? most : maxThreads, virtual);
    }

    /** Threads that are busy with what goes on after a wait. */
    public int busyThreads() {
        return threads.getActiveCount();
    }

    /** Calls whose wait is over, and which now wait for a thread. */
    public int queued() {
        return threads.getQueue().size();
    }

    /** Runs what may block, on a thread of the policy. */
    public void execute(Runnable task) {
        schedule(Duration.ZERO, task);
    }

    /** Runs what may block, on a thread of the policy, after a while. */
    public void schedule(Duration delay, Runnable task) {
        time.schedule(delay, task, threads);
    }

    /**
     * Lets a call wait without a thread. It goes on {@linkplain Next#AGAIN again}, where it ran before if that can be told,
     * and otherwise on the policy's threads; also if the wait is ended because the application ends.
     */
    public Next pause(AsyncCall call, Duration wait) throws Throwable {
        return call.waitFor(new Pause(call, wait));
    }

    /** Notes a call that runs on a thread that is not its caller's, until it is {@linkplain #remove removed}. */
    public void add(Stoppable call) {
        running.add(call);
    }

    public void remove(Stoppable call) {
        running.remove(call);
    }

    /** Whether any call runs after a wait, or its stage goes on without a thread. */
    public boolean hasWork() {
        return !running.isEmpty() || busyThreads() > 0;
    }

    /** Ends all waits, and those that begin later at once, until {@link #resume()}. Returns without waiting. */
    public void stop() {
        stopped = true;
        pauses.forEach(pause -> time.schedule(Duration.ZERO, pause, WorkerThreads.ENDS));
        sleeps.forEach(InterruptibleExecution::interrupt);
    }

    /** Interrupts the bodies that run after a wait, and cancels the stages that they have returned. */
    public void stopRunning() {
        running.forEach(call -> time.schedule(Duration.ZERO, call::stop, WorkerThreads.ENDS));
    }

    /** Lets waits be again what they are. */
    public void resume() {
        stopped = false;
    }

    /** Ends all waits, and lets go of the threads as soon as they are idle. */
    @Override
    public void close() {
        stop();
        WorkerThreads.releaseIdle(threads);
    }

    /** Whether waits end at once now. */
    public boolean isStopped() {
        return stopped;
    }

    /**
     * Lets the current thread wait.
     *
     * @return false if the wait was ended because the application ends; the interrupt flag need not be set again then
     * @throws InterruptedException if the thread was interrupted otherwise
     */
    public boolean sleep(Duration duration) throws InterruptedException {
        InterruptibleExecution sleeping = new InterruptibleExecution();
        sleeping.begin();
        sleeps.add(sleeping);
        InterruptedException interrupted = null;
        boolean undisturbed;
        try {
            if (stopped) {
                sleeping.interrupt();
            }
            time.sleep(duration);
        } catch (InterruptedException byAnyone) {
            interrupted = byAnyone;
        } finally {
            sleeps.remove(sleeping);
            undisturbed = sleeping.end();
        }
        if (undisturbed && interrupted != null) {
            throw interrupted;
        }
        return undisturbed;
    }

    /** Lets the current thread do what ends when it is interrupted, as it is if the application ends meanwhile. */
    public long interruptibly(LongSupplier blocking) {
        InterruptibleExecution execution = new InterruptibleExecution();
        execution.begin();
        sleeps.add(execution);
        try {
            return blocking.getAsLong();
        } finally {
            sleeps.remove(execution);
            execution.end();
        }
    }

    /** A wait of a call. */
    private final class Pause extends AsyncWait implements Runnable {

        private final long waitNanos;
        private volatile @Nullable Scheduled timer;

        Pause(AsyncCall call, Duration wait) {
            super(call);
            this.waitNanos = Durations.toNanos(wait);
        }

        @Override
        protected void start() {
            pauses.add(this);
            Executor executor = call.executor;
            timer = time.schedule(Duration.ofNanos(waitNanos), this, executor == null ? threads : executor);
            if (!isWaiting()) {
                stopped();
            } else if (stopped) {
                run();
            }
        }

        /** The wait is over, or the application ends. */
        @Override
        public void run() {
            if (claim()) {
                stopped();
                resume(Next.AGAIN);
            }
        }

        @Override
        protected Next whenStopped() {
            return Next.AGAIN;
        }

        /** Also when the wait is over. */
        @Override
        protected void stopped() {
            pauses.remove(this);
            if (timer != null) {
                timer.cancel();
            }
        }
    }
}
