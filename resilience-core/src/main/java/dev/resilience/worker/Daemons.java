package dev.resilience.worker;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes daemon threads that keep nothing of the one that happened to start them. */
public final class Daemons implements ThreadFactory {

    private final String prefix;
    private final AtomicInteger number = new AtomicInteger();

    /**
     * @param prefix what the names of the threads begin with; a number follows
     */
    public Daemons(String prefix) {
        this.prefix = prefix;
    }

    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(null, task, prefix + number.incrementAndGet(), 0, false);
        thread.setContextClassLoader(null);
        thread.setDaemon(true);
        return thread;
    }
}
