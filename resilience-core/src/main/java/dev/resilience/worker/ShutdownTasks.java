package dev.resilience.worker;

import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Runs thousands of tasks at once on few threads, as the end of an application asks for: each ends a call, and what the
 * application does when a call ends may take long. While no task ends, because those that have begun block, the number of
 * threads is doubled ten times a second. A task that throws keeps no other one from running, and neither does a system that
 * has no thread left: then the tasks run on the thread that starts them.
 */
public final class ShutdownTasks {

    private static final int THREADS = 4;
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);

    private final TimeSource time;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    private ShutdownTasks(TimeSource time) {
        this.time = time;
    }

    /**
     * Runs tasks; returns without waiting for them.
     *
     * @param time has the threads
     * @param adding is given what takes the tasks, which begin when all have been added
     */
    public static void run(TimeSource time, Consumer<Executor> adding) {
        ShutdownTasks all = new ShutdownTasks(time);
        try {
            adding.accept(all.tasks::add);
        } finally {
            all.start(THREADS);
        }
    }

    private void start(int threads) {
        try {
            for (int i = 0; i < threads && !tasks.isEmpty(); i++) {
                time.scheduleUrgent(Duration.ZERO, this::runAll);
            }
            lookAgain(threads);
        } catch (Throwable noThread) {
            runAll();
        }
    }

    private void lookAgain(int threads) {
        int left = tasks.size();
        if (left > 0) {
            time.scheduleUrgent(BETWEEN_LOOKS, () -> look(threads, left));
        }
    }

    private void look(int threads, int before) {
        if (tasks.size() == before) {
            start(2 * threads);
        } else {
            lookAgain(threads);
        }
    }

    private void runAll() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            BoundedExecutor.runAndTell(task);
        }
    }
}
