package dev.resilience.concurrency;

/** Threads that run at the same time. */
public interface Threads {

    /** A new thread for each. */
    Threads NEW = Threads::runInNewThreads;

    /** Returns when all of them have ended. They throw nothing. */
    void run(Runnable... all);

    private static void runInNewThreads(Runnable... all) {
        Thread[] threads = new Thread[all.length];
        for (int i = 0; i < all.length; i++) {
            threads[i] = new Thread(all[i]);
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException unexpected) {
                throw new IllegalStateException(unexpected);
            }
        }
    }
}
