package dev.resilience.spring;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * The live objects of an application, by kind and name, and which methods use them, for the library itself: applications
 * have {@link ResilienceRegistry}. Filled at startup with all policies that are configured; looking something up never
 * makes it. Safe for use by many threads.
 */
public final class LiveRegistry implements AutoCloseable {

    private final Map<String, LiveObjects<?>> byKind;
    private final PolicyTimes times;
    private final ConcurrentMap<String, Set<String>> users = new ConcurrentHashMap<>();
    private final List<BiConsumer<String, String>> firstUses = new CopyOnWriteArrayList<>();

    /**
     * @param byKind the live objects by the id of their kind
     * @param times of the policies whose calls wait
     */
    public LiveRegistry(Map<String, LiveObjects<?>> byKind, PolicyTimes times) {
        this.byKind = byKind;
        this.times = times;
    }

    /**
     * The live objects of a kind by name.
     *
     * @param kind its id, such as {@code circuit-breaker}
     * @param <L> what the kind makes of its policies: the caller must know
     * @return empty for a kind that does not exist
     */
    @SuppressWarnings("unchecked") // said above
    public <L> Map<String, L> ofKind(String kind) {
        LiveObjects<?> live = byKind.get(kind);
        return live == null ? Map.of() : (Map<String, L>) live.byName();
    }

    /** The live object of a kind and a name, which is made if there is none; the kind must exist. */
    @SuppressWarnings("unchecked") // as in ofKind
    public <L> L orMake(String kind, String name, Supplier<L> making) {
        return ((LiveObjects<L>) Objects.requireNonNull(byKind.get(kind), kind)).orMake(name, making);
    }

    /** Removes a live object and ends its waits, its threads and its log. What still holds it can call it. */
    public void remove(String kind, String name) {
        times.remove(kind, name);
        Objects.requireNonNull(byKind.get(kind), kind).remove(name);
    }

    private Collection<LiveObjects<?>> all() {
        return byKind.values();
    }

    /** The methods that use a policy by {@code kind/name}. */
    public Map<String, Set<String>> users() {
        return users;
    }

    /** Lets the listener hear of the kind and the name of each policy when the first method uses it. */
    public void onFirstUse(BiConsumer<String, String> listener) {
        firstUses.add(listener);
    }

    /**
     * The application is about to end: every wait ends, and none begins any more, until {@link #resumeWaits()}. A call that
     * waits for a retry fails with the failure in hand, one in the queue of a bulkhead is refused. What runs is left alone.
     * Returns without waiting.
     */
    public void stopWaits() {
        times.stop();
        all().forEach(LiveObjects::stopWaits);
    }

    /** Lets calls wait again. */
    public void resumeWaits() {
        times.resume();
        all().forEach(LiveObjects::resumeWaits);
    }

    /** Whether calls run on threads of the library, or began there and have not ended; those of time limits end in time. */
    public boolean isAtWork() {
        return all().stream().anyMatch(LiveObjects::anyIsAtWork) || times.anyRun();
    }

    /** Interrupts the calls that run on threads of the library, and cancels the stages that they have returned. */
    public void stopRunning() {
        all().forEach(LiveObjects::stopRunning);
        times.stopRunning();
    }

    /**
     * With the application: ends all waits, lets go of the threads, and writes what the log has counted in place of single
     * lines. What is still called works as before, but never waits.
     */
    @Override
    public void close() {
        times.close();
        all().forEach(LiveObjects::close);
    }

    /**
     * Gives every circuit breaker its initial state and an empty window, as before the first call: for tests that share
     * an application. Counters go on, and so do retry budgets.
     */
    public void reset() {
        all().forEach(LiveObjects::reset);
    }

    /** Notes that a method uses a policy. */
    public void use(String kind, String name, String method) {
        Set<String> methods = users.computeIfAbsent(kind + "/" + name, key -> new ConcurrentSkipListSet<>());
        boolean first = methods.isEmpty();
        methods.add(method);
        if (first) {
            firstUses.forEach(listener -> listener.accept(kind, name));
        }
    }

    /** Whether the methods that use a policy are protected by it: unless {@code enabled} is false. */
    public boolean isEnabled(String kind, String name) {
        LiveObjects<?> live = byKind.get(kind);
        return live == null || live.isEnabled(name);
    }

    /** Whether no policy of a kind is switched off. */
    public boolean allAreEnabled(String kind) {
        LiveObjects<?> live = byKind.get(kind);
        return live == null || live.allAreEnabled();
    }

    /** Whether it is a {@code default} that is there for other policies to start from, and that no method uses. */
    public boolean isUnusedDefault(String kind, String name) {
        return name.equals("default") && usedBy(kind, name).isEmpty();
    }

    /** The methods that use a policy, in alphabetical order: {@code OrderService.place(Order)}. */
    public List<String> usedBy(String kind, String name) {
        return List.copyOf(users.getOrDefault(kind + "/" + name, Set.of()));
    }
}
