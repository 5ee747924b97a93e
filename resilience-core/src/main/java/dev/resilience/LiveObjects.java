package dev.resilience;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The live objects of one kind by name, each made when it is first asked for. Safe for use by many threads.
 *
 * @param <S> what a live object is made of: its policy, and what else the caller gives
 * @param <L> the live object
 */
final class LiveObjects<S, L> {

    private final String kind;
    private final BiFunction<String, S, L> factory;
    private final Consumer<L> end;
    private boolean ended;
    private final Map<String, Made<S, L>> madeByName = new LinkedHashMap<>();

    /**
     * @param kind as people read it: {@code circuit breaker}
     * @param end what happens to each of them in the end, and at once to those that are made later
     */
    LiveObjects(String kind, BiFunction<String, S, L> factory, Consumer<L> end) {
        this.kind = kind;
        this.factory = factory;
        this.end = end;
    }

    /**
     * The live object of that name.
     *
     * @throws IllegalArgumentException if there is one that was made of something else
     */
    synchronized L get(String name, S settings) {
        Made<S, L> made = madeByName.get(name);
        if (made == null) {
            made = new Made<>(settings, factory.apply(name, settings));
            madeByName.put(name, made);
            if (ended) {
                end.accept(made.live);
            }
        } else if (!made.settings.equals(settings)) {
            throw new IllegalArgumentException(
                    "There is a " + kind + " '" + name + "' already, made of " + made.settings + ", which is not "
                            + settings + ". Give one of the two another name, or both the same values");
        }
        return made.live;
    }

    synchronized @Nullable L find(String name) {
        Made<S, L> made = madeByName.get(name);
        return made == null ? null : made.live;
    }

    /** Ends all of them, once. */
    synchronized void close() {
        if (!ended) {
            ended = true;
            madeByName.values().forEach(made -> end.accept(made.live));
        }
    }

    private record Made<S, L>(S settings, L live) {}
}
