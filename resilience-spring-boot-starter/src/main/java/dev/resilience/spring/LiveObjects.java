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
    private boolean waitsAreStopped;
    private boolean ended;

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
            catchUp(live);
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

    /** One that is made while the application stops, or later, is as the others are. */
    private void catchUp(L live) {
        if (waitsAreStopped) {
            lifecycle.stopWaits(live);
        }
        if (ended) {
            lifecycle.close(live);
        }
    }

    /** Ends the live object of a name: its waits, its threads and its log. */
    synchronized void remove(String name) {
        L live = byName.remove(name);
        if (live != null) {
            lifecycle.stopWaits(live);
            lifecycle.close(live);
        }
    }

    synchronized void stopWaits() {
        waitsAreStopped = true;
        byName.values().forEach(lifecycle::stopWaits);
    }

    synchronized void resumeWaits() {
        waitsAreStopped = false;
        byName.values().forEach(lifecycle::resumeWaits);
    }

    boolean anyIsAtWork() {
        Predicate<L> isAtWork = lifecycle::isAtWork;
        return byName.values().stream().anyMatch(isAtWork);
    }

    void stopRunning() {
        byName.values().forEach(lifecycle::stopRunning);
    }

    synchronized void close() {
        ended = true;
        byName.values().forEach(lifecycle::close);
    }

    void reset() {
        byName.values().forEach(lifecycle::reset);
    }
}
