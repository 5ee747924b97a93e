package dev.resilience.pipeline;

import dev.resilience.pipeline.KeyedObjects.Held;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A live object that can protect each part of its calls by one of their own, above all those of each key, so that a tenant or a
 * shard that fails does not take the others with it. Safe for use by many threads.
 *
 * @param <L> the live object itself, of which each part has one
 */
public abstract class PerKey<L extends PerKey<L>> implements Layer {

    /** The one that this is a part of; {@code null} for one that is for all calls. */
    protected final @Nullable L ofAll;

    /** Those of its parts that have to follow what happens to it. */
    protected final Set<L> parts;

    private volatile @Nullable KeyedObjects<L> keys;

    protected PerKey(@Nullable L ofAll) {
        this.ofAll = ofAll;
        this.parts = ofAll == null ? ConcurrentHashMap.newKeySet() : Set.of();
    }

    /**
     * One with a state of its own for a part of what this one protects, such as one host of several. Its calls are counted
     * and logged here, and its policy changes with this one's. To be {@linkplain #end ended} when it is not needed any more.
     *
     * @param isLogged whether the log and exceptions name the part, as listeners do: {@code shops[a.example]}
     */
    public abstract L part(String name, boolean isLogged);

    /** Whether it is a {@linkplain #part part} of another one, which counts its calls. */
    public final boolean isPart() {
        return ofAll != null;
    }

    /** A part is not needed any more. Its calls end as they would have. */
    public final void end() {
        if (ofAll != null) {
            synchronized (ofAll) {
                if (ofAll.parts.remove(this)) {
                    ended();
                }
            }
        }
    }

    /** Called once for each part that has ended, under the lock of the whole. */
    protected void ended() {}

    /** Whether it knows something that must not be forgotten: others go before it. */
    public abstract boolean isAtWork();

    /** Whether an operator has given it a state that must not be forgotten at all. */
    public boolean stays() {
        return false;
    }

    /** How many keys there may be now. */
    protected abstract int maxKeys();

    /** Those of single keys, which the first layer by key begins; {@code null} if there is no such layer. */
    public final @Nullable KeyedObjects<L> keys() {
        return keys;
    }

    /**
     * The layer in which each call is protected by the one of its key.
     *
     * @param key of a call, asked once for each on the thread that makes it; {@code null} for a call without one: those share
     *     one, the empty key's. What it throws fails the call
     */
    public final synchronized Layer byKey(Function<Invocation, @Nullable String> key) {
        KeyedObjects<L> known = keys != null
                ? keys
                : new KeyedObjects<>(
                        this::maxKeys, name -> part(name, false), PerKey::isAtWork, PerKey::stays, PerKey::end);
        keys = known;
        return next -> new Step() {
            @Override
            public @Nullable Object call(Invocation invocation) throws Throwable {
                Held<L> held = known.hold(key.apply(invocation));
                try {
                    return held.live().around(next).call(invocation);
                } finally {
                    held.release();
                }
            }

            @Override
            public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
                try {
                    Held<L> held = known.hold(key.apply(invocation));
                    CompletableFuture<@Nullable Object> call =
                            held.live().around(next).callAsync(invocation);
                    var unused = call.whenComplete((result, failure) -> held.release());
                    return call;
                } catch (Throwable noKey) {
                    return CompletableFuture.failedFuture(noKey);
                }
            }
        };
    }

    /** The layer for calls of one key. It holds nothing of the key, and may be kept or made anew for each call. */
    public final Layer forKey(@Nullable String key) {
        return byKey(call -> key);
    }
}
