package dev.resilience.spring;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The live objects of one kind by name, in alphabetical order. Safe for use by many threads.
 *
 * @param <L> the live object
 */
public final class LiveObjects<L> {

    private final Lifecycle<L> lifecycle;
    private final Map<String, L> byName = new ConcurrentSkipListMap<>();
    private final Set<String> off = ConcurrentHashMap.newKeySet();

    public LiveObjects(Lifecycle<L> lifecycle) {
        this.lifecycle = lifecycle;
    }

    /** The live objects as they are at any time. */
    public Map<String, L> byName() {
        return Collections.unmodifiableMap(byName);
    }

    /** The live object of a name, which is made if there is none. */
    public synchronized L orMake(String name, Supplier<L> making) {
        L live = byName.get(name);
        if (live == null) {
            live = making.get();
            byName.put(name, live);
        }
        return live;
    }

    /** Lets the methods that use a policy go without it. */
    public void switchOff(String name) {
        off.add(name);
    }

    boolean isEnabled(String name) {
        return !off.contains(name);
    }

    boolean allAreEnabled() {
        return off.isEmpty();
    }

    void stopWaits() {
        byName.values().forEach(lifecycle::stopWaits);
    }

    void resumeWaits() {
        byName.values().forEach(lifecycle::resumeWaits);
    }

    boolean anyIsAtWork() {
        Predicate<L> isAtWork = lifecycle::isAtWork;
        return byName.values().stream().anyMatch(isAtWork);
    }

    void stopRunning() {
        byName.values().forEach(lifecycle::stopRunning);
    }

    void close() {
        byName.values().forEach(lifecycle::close);
    }

    void reset() {
        byName.values().forEach(lifecycle::reset);
    }
}
