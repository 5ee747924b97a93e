package dev.resilience.spring;

import dev.resilience.time.TimeSource;
import dev.resilience.worker.PolicyTimeSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The times of the policies whose asynchronous calls go on after a wait: each policy has threads of its own for that, and
 * the waits of all end with the application. Filled at startup, safe for use by many threads afterwards.
 */
public final class PolicyTimes implements AutoCloseable {

    private final TimeSource time;
    private final @Nullable Integer mostThreads;
    private final Map<PolicyKind, Map<String, PolicyTimeSource>> times = new EnumMap<>(PolicyKind.class);

    /**
     * @param mostThreads of each policy; {@code null} for the library's choice
     */
    public PolicyTimes(TimeSource time, @Nullable Integer mostThreads) {
        this.time = time;
        this.mostThreads = mostThreads;
    }

    /** Makes the time of one policy. */
    public PolicyTimeSource add(PolicyKind kind, String policy) {
        PolicyTimeSource made = new PolicyTimeSource("resilience-" + kind.id() + "-" + policy + "-", time, mostThreads);
        times.computeIfAbsent(kind, key -> new TreeMap<>()).put(policy, made);
        return made;
    }

    /** The time of one policy, if it has one of its own. */
    public @Nullable PolicyTimeSource of(PolicyKind kind, String policy) {
        return times.getOrDefault(kind, Map.of()).get(policy);
    }

    void stop() {
        all().forEach(PolicyTimeSource::stop);
    }

    void resume() {
        all().forEach(PolicyTimeSource::resume);
    }

    boolean anyRun() {
        return all().anyMatch(
                        policy -> policy.busyThreads() > 0 || policy.bodies().any());
    }

    void stopRunning() {
        all().forEach(PolicyTimeSource::stopRunning);
    }

    @Override
    public void close() {
        all().forEach(PolicyTimeSource::close);
    }

    private Stream<PolicyTimeSource> all() {
        return times.values().stream().flatMap(policies -> policies.values().stream());
    }
}
