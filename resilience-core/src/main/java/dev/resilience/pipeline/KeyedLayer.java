package dev.resilience.pipeline;

import dev.resilience.pipeline.KeyedObjects.Held;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Protects each call by the layer of its key, and holds that until the call has ended. Safe for use by many threads.
 *
 * @param layers a layer for each key
 * @param key of a call
 */
public record KeyedLayer<L extends Layer>(KeyedObjects<L> layers, Function<Invocation, @Nullable String> key)
        implements Layer {

    @Override
    public Step around(Step next) {
        return new Step() {
            @Override
            public @Nullable Object call(Invocation invocation) throws Throwable {
                Held<L> held = layers.hold(key.apply(invocation));
                try {
                    return held.live().around(next).call(invocation);
                } finally {
                    held.release();
                }
            }

            @Override
            public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
                Held<L> held;
                try {
                    held = layers.hold(key.apply(invocation));
                } catch (Throwable noKey) {
                    return CompletableFuture.failedFuture(noKey);
                }
                CompletableFuture<@Nullable Object> call =
                        held.live().around(next).callAsync(invocation);
                var unused = call.whenComplete((result, failure) -> held.release());
                return call;
            }
        };
    }
}
