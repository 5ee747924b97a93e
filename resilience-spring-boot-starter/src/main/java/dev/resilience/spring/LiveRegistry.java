package dev.resilience.spring;

import dev.resilience.pipeline.Waits;
import dev.resilience.time.TimeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The live objects of an application, by kind and name, which methods use them, and their lifecycle, for the library itself:
 * applications have {@link ResilienceRegistry}. Looking something up never creates it. Safe for use by many threads.
 */
public final class LiveRegistry implements AutoCloseable {

    private final TimeSource time;
    private final @Nullable Integer maxThreads;
    private final Map<String, OfKind<?>> byKind = new LinkedHashMap<>();

    /** The waits of the policies whose asynchronous calls go on after a wait: each policy has threads of its own for that. */
    private final OfKind<Waits> waits = new OfKind<>(new LifecycleOfWaits());

    private final ConcurrentMap<String, Set<String>> users = new ConcurrentHashMap<>();
    private final List<BiConsumer<String, String>> firstUses = new CopyOnWriteArrayList<>();
    private final List<BooleanSupplier> otherWork = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /** @param maxThreads how many threads a policy has for what goes on after a wait; {@code null} for the library's choice */
    public LiveRegistry(TimeSource time, @Nullable Integer maxThreads) {
        this.time = time;
        this.maxThreads = maxThreads;
    }

    /**
     * What the live objects of one kind do when the application stops, starts again and ends. Most do nothing: the waits of
     * a policy that has its time from the library end without them.
     *
     * @param <L> the live object
     */
    public interface Lifecycle<L> {

        /** Ends every wait of a call, and lets none begin. Returns without waiting. */
        default void stopWaits(L live) {}

        /** Lets calls wait again. */
        default void resumeWaits(L live) {}

        /** Whether calls run on threads of the live object. */
        default boolean isAtWork(L live) {
            return false;
        }

        /** Interrupts the calls that run on threads of the live object. */
        default void stopRunning(L live) {}

        /** With the application: closes what can be closed. What is still called works as before. */
        default void close(L live) {
            if (live instanceof AutoCloseable closeable) {
                try {
                    closeable.close();
                } catch (Exception failed) {
                    throw new IllegalStateException(live + " cannot be closed", failed);
                }
            }
        }

        /** Takes the state back to what it was before the first call: for tests that share an application. */
        default void reset(L live) {}
    }

    /** Adds a kind, before its first live object. */
    public void add(String kind, Lifecycle<?> lifecycle) {
        byKind.put(kind, new OfKind<>(lifecycle));
    }

    /**
     * The live objects of a kind by name, in alphabetical order: a view.
     *
     * @param kind its id, such as {@code circuit-breaker}
     * @param <L> what the kind makes of its policies: the caller must know
     * @return empty for a kind that does not exist
     */
    @SuppressWarnings("unchecked") // said above
    public <L> Map<String, L> ofKind(String kind) {
        OfKind<?> live = byKind.get(kind);
        return live == null ? Map.of() : (Map<String, L>) Collections.unmodifiableMap(live.byName);
    }

    /** The live object of a kind and a name, which is created if there is none; the kind must exist. */
    @SuppressWarnings("unchecked") // as in ofKind
    public <L> L computeIfAbsent(String kind, String name, Supplier<L> creation) {
        return ((OfKind<L>) kind(kind)).computeIfAbsent(name, creation);
    }

    /** Where the calls of one policy wait, with threads for what goes on after that; created anew. */
    public Waits createWaits(String kind, String policy) {
        String id = kind + "/" + policy;
        waits.remove(id);
        return waits.computeIfAbsent(id, () -> new Waits("resilience-" + kind + "-" + policy + "-", time, maxThreads));
    }

    /** Removes a live object and ends its waits, its threads and its log. What still holds it can call it. */
    public void remove(String kind, String name) {
        waits.remove(kind + "/" + name);
        kind(kind).remove(name);
    }

    private OfKind<?> kind(String id) {
        return Objects.requireNonNull(byKind.get(id), id);
    }

    private List<OfKind<?>> all() {
        List<OfKind<?>> all = new ArrayList<>(byKind.values());
        all.add(0, waits);
        return all;
    }

    /**
     * The application is about to end: every wait ends, and none begins any more, until {@link #resumeWaits()}. A call that
     * waits for a retry fails with the failure in hand, one in the queue of a bulkhead is refused. What runs is left alone.
     * Returns without waiting.
     */
    public void stopWaits() {
        all().forEach(OfKind::stopWaits);
    }

    /** Lets calls wait again. */
    public void resumeWaits() {
        all().forEach(OfKind::resumeWaits);
    }

    /** Whether calls run on threads of the library, or began there and have not ended; those of time limits end in time. */
    public boolean isAtWork() {
        return all().stream().anyMatch(OfKind::isAtWork) || otherWork.stream().anyMatch(BooleanSupplier::getAsBoolean);
    }

    /** Adds what else the end of the application waits for. */
    public void addWork(BooleanSupplier isAtWork) {
        otherWork.add(isAtWork);
    }

    /** Interrupts the calls that run on threads of the library, and cancels the stages that they have returned. */
    public void stopRunning() {
        all().forEach(OfKind::stopRunning);
    }

    /**
     * With the application: ends all waits, lets go of the threads, and writes what the log has counted in place of single
     * lines. What is still called works as before, but never waits.
     */
    @Override
    public void close() {
        closed = true;
        closeAll(all(), OfKind::close);
    }

    /** Each, even if others fail; throws the first failure in the end. */
    private static <T> void closeAll(Collection<T> all, Consumer<T> close) {
        Stream<T> closing = Stream.empty();
        for (T each : all) {
            closing = closing.onClose(() -> close.accept(each));
        }
        closing.close();
    }

    /** Whether the application has ended. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Gives every circuit breaker its initial state and an empty window, as before the first call: for tests that share
     * an application. Counters go on, and so do retry budgets.
     */
    public void reset() {
        all().forEach(OfKind::reset);
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

    /** Calls the listener with the kind and the name of each policy when the first method uses it. */
    public void onFirstUse(BiConsumer<String, String> listener) {
        firstUses.add(listener);
    }

    /** The methods that use a policy, in alphabetical order: {@code OrderService.place(Order)}. */
    public List<String> usedBy(String kind, String name) {
        return List.copyOf(users.getOrDefault(kind + "/" + name, Set.of()));
    }

    /** Whether it is a {@code default} that is there for other policies to start from, and that no method uses. */
    public boolean isUnusedDefault(String kind, String name) {
        return name.equals("default") && usedBy(kind, name).isEmpty();
    }

    /** Lets the methods that use a policy go without it. */
    public void switchOff(String kind, String name) {
        kind(kind).off.add(name);
    }

    /** Whether the methods that use a policy are protected by it: unless {@code enabled} is false. */
    public boolean isEnabled(String kind, String name) {
        return !kind(kind).off.contains(name);
    }

    /** Whether no policy of a kind is switched off. */
    public boolean allAreEnabled(String kind) {
        return kind(kind).off.isEmpty();
    }

    private record LifecycleOfWaits() implements Lifecycle<Waits> {

        @Override
        public void stopWaits(Waits live) {
            live.stop();
        }

        @Override
        public void resumeWaits(Waits live) {
            live.resume();
        }

        @Override
        public boolean isAtWork(Waits live) {
            return live.hasWork();
        }

        @Override
        public void stopRunning(Waits live) {
            live.stopRunning();
        }
    }

    private static final class OfKind<L> {

        private final Lifecycle<L> lifecycle;
        private final Map<String, L> byName = new ConcurrentSkipListMap<>();
        private final Set<String> off = ConcurrentHashMap.newKeySet();
        private boolean waitsAreStopped;
        private boolean ended;

        OfKind(Lifecycle<L> lifecycle) {
            this.lifecycle = lifecycle;
        }

        /** One that is created while the application stops, or later, is as the others are. */
        synchronized L computeIfAbsent(String name, Supplier<L> creation) {
            L live = byName.get(name);
            if (live == null) {
                live = creation.get();
                byName.put(name, live);
                if (waitsAreStopped) {
                    lifecycle.stopWaits(live);
                }
                if (ended) {
                    lifecycle.close(live);
                }
            }
            return live;
        }

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

        boolean isAtWork() {
            return byName.values().stream().anyMatch(lifecycle::isAtWork);
        }

        void stopRunning() {
            byName.values().forEach(lifecycle::stopRunning);
        }

        synchronized void close() {
            ended = true;
            closeAll(byName.values(), lifecycle::close);
        }

        void reset() {
            byName.values().forEach(lifecycle::reset);
        }
    }
}
