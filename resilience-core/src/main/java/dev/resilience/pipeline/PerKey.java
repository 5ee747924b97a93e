package dev.resilience.pipeline;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A live object that can protect the calls of each key by one of their own, so that a tenant or a shard that fails does not
 * take the others with it. Safe for use by many threads.
 *
 * @param <L> the live object itself, of which each key has one
 */
public interface PerKey<L extends Layer> {

    /** Those of single keys, which the first layer by key begins; {@code null} if there is no such layer. */
    @Nullable
    KeyedObjects<L> keys();

    /**
     * The layer in which each call is protected by the one of its key.
     *
     * @param key of a call, asked once for each on the thread that makes it; {@code null} for a call without one: those share
     *     one, the empty key's. What it throws fails the call
     */
    Layer byKey(Function<Invocation, @Nullable String> key);

    /** The layer for calls of one key. It holds nothing of the key, and may be kept or made anew for each call. */
    default Layer forKey(@Nullable String key) {
        return byKey(call -> key);
    }
}
