package dev.resilience.spring;

import dev.resilience.time.TimeSource;
import dev.resilience.worker.PolicyTimeSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The times of the policies whose asynchronous calls go on after a wait: each policy has threads of its own for that, and
 * the waits of all end with the application. Safe for use by many threads.
 */
public final class PolicyTimes implements AutoCloseable {

    private final TimeSource time;
    private final @Nullable Integer mostThreads;
    private final List<PolicyTimeSource> times = new CopyOnWriteArrayList<>();
    private final Map<String, PolicyTimeSource> byPolicy = new ConcurrentHashMap<>();
    private boolean stopped;
    private boolean closed;

    /**
     * @param mostThreads of each policy; {@code null} for the library's choice
     */
    public PolicyTimes(TimeSource time, @Nullable Integer mostThreads) {
        this.time = time;
        this.mostThreads = mostThreads;
    }

    /**
     * Makes the time of one policy.
     *
     * @param kind the id of its kind
     */
    public synchronized PolicyTimeSource add(String kind, String policy) {
        PolicyTimeSource made = new PolicyTimeSource("resilience-" + kind + "-" + policy + "-", time, mostThreads);
        times.add(made);
        byPolicy.put(kind + "/" + policy, made);
        if (stopped) {
            made.stop();
        }
        if (closed) {
            made.close();
        }
        return made;
    }

    /** Ends the waits of one policy and lets go of its threads. */
    synchronized void remove(String kind, String policy) {
        PolicyTimeSource removed = byPolicy.remove(kind + "/" + policy);
        if (removed != null) {
            times.remove(removed);
            removed.close();
        }
    }

    synchronized void stop() {
        stopped = true;
        times.forEach(PolicyTimeSource::stop);
    }

    synchronized void resume() {
        stopped = false;
        times.forEach(PolicyTimeSource::resume);
    }

    boolean anyRun() {
        return times.stream()
                .anyMatch(policy -> policy.busyThreads() > 0 || policy.bodies().any());
    }

    void stopRunning() {
        times.forEach(PolicyTimeSource::stopRunning);
    }

    @Override
    public synchronized void close() {
        closed = true;
        times.forEach(PolicyTimeSource::close);
    }
}
