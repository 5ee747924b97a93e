package dev.resilience.concurrency;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that wait for each other before each round: the start of a thread takes longer than most races. */
final class StandingThreads implements Threads, AutoCloseable {

    private final ExecutorService pool = Executors.newCachedThreadPool();

    @Override
    public void run(Runnable... all) {
        AtomicInteger missing = new AtomicInteger(all.length);
        List<Future<?>> running = new ArrayList<>();
        for (Runnable one : all) {
            running.add(pool.submit(() -> {
                missing.decrementAndGet();
                awaitOthers(missing);
                one.run();
            }));
        }
        for (Future<?> one : running) {
            try {
                one.get();
            } catch (InterruptedException | ExecutionException unexpected) {
                throw new IllegalStateException(unexpected);
            }
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // there may be fewer processors than threads
    private static void awaitOthers(AtomicInteger missing) {
        for (int spins = 0; missing.get() > 0; spins++) {
            if (spins < 1_000) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
