package dev.resilience.pipeline;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One way to protect a call. Live objects are layers: they are wrapped around the rest of a pipeline when it is
 * composed, and the step they make of themselves is walked by every call.
 */
@FunctionalInterface
public interface Layer {

    /** The step that protects everything from {@code next} inwards. */
    Step around(Step next);

    /** One of two layers, chosen anew by each call. */
    static Layer either(BooleanSupplier isFirst, Layer first, Layer second) {
        return next -> {
            Step one = first.around(next);
            Step other = second.around(next);
            return new Step() {
                @Override
                public @Nullable Object call(Invocation invocation) throws Throwable {
                    return (isFirst.getAsBoolean() ? one : other).call(invocation);
                }

                @Override
                public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
                    return (isFirst.getAsBoolean() ? one : other).callAsync(invocation);
                }
            };
        };
    }
}
