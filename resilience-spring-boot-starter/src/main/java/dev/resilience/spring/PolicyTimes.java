package dev.resilience.spring;

import dev.resilience.time.TimeSource;
import dev.resilience.worker.PolicyTimeSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The times of the policies whose asynchronous calls go on after a wait: each policy has threads of its own for that, and
 * the waits of all end with the application. Filled at startup, safe for use by many threads afterwards.
 */
public final class PolicyTimes implements AutoCloseable {

    private final TimeSource time;
    private final @Nullable Integer mostThreads;
    private final List<PolicyTimeSource> times = new CopyOnWriteArrayList<>();

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
    public PolicyTimeSource add(String kind, String policy) {
        PolicyTimeSource made = new PolicyTimeSource("resilience-" + kind + "-" + policy + "-", time, mostThreads);
        times.add(made);
        return made;
    }

    void stop() {
        times.forEach(PolicyTimeSource::stop);
    }

    void resume() {
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
    public void close() {
        times.forEach(PolicyTimeSource::close);
    }
}
