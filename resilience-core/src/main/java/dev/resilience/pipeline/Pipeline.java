package dev.resilience.pipeline;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Layers composed in an order, once; every call walks them. Immutable and safe for use by many threads.
 *
 * <pre>{@code
 * Pipeline payments = Pipeline.of(bulkhead, circuitBreaker, retry);
 * Receipt receipt = payments.call(() -> gateway.charge(order));
 * }</pre>
 */
public final class Pipeline {

    private final Step first;
    private final ContextCarrier carrier;

    private Pipeline(Step first, ContextCarrier carrier) {
        this.first = first;
        this.carrier = carrier;
    }

    /** Composes layers, the outermost first. Asynchronous calls take along what {@link ContextCarrier#standard()} does. */
    public static Pipeline of(Layer... layers) {
        return of(List.of(layers));
    }

    /** As {@link #of(Layer...)}. */
    public static Pipeline of(List<? extends Layer> layers) {
        return of(layers, ContextCarrier.standard());
    }

    /**
     * Composes layers, the outermost first.
     *
     * @param carrier takes along what is bound to the caller's thread to the threads on which an asynchronous call goes
     *     on: with later attempts, after a queue, with a fallback
     */
    public static Pipeline of(List<? extends Layer> layers, ContextCarrier carrier) {
        Step step = new BodyStep();
        for (int i = layers.size() - 1; i >= 0; i--) {
            step = layers.get(i).around(step);
        }
        return new Pipeline(step, carrier);
    }

    /**
     * Runs the body behind the layers on the calling thread.
     *
     * @throws Exception what the body threw, the same instance, or one of the library's
     *     {@link dev.resilience.exception.ResilienceException}s
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // a layer returns what the body returned
    public <T extends @Nullable Object> T call(Callable<T> body) throws Exception {
        try {
            return (T) first.call(body::call);
        } catch (Exception | Error failure) {
            throw failure;
        } catch (Throwable failure) {
            throw new IllegalStateException("A Callable cannot throw this", failure);
        }
    }

    /**
     * Starts the body behind the layers and returns the future of its result. Never throws; cancelling the future
     * cancels a pending retry, a place in a queue or the running body.
     */
    @SuppressWarnings("unchecked") // a layer passes on what the body's stage held
    public <T extends @Nullable Object> CompletableFuture<T> callAsync(Supplier<? extends CompletionStage<T>> body) {
        return (CompletableFuture<T>) invokeAsync(body::get);
    }

    /** As {@link #call}, for adapters that intercept methods. */
    public @Nullable Object invoke(Invocation invocation) throws Throwable {
        return first.call(invocation);
    }

    /** As {@link #callAsync}, for adapters that intercept methods. */
    public CompletableFuture<@Nullable Object> invokeAsync(Invocation invocation) {
        CallOrigin outer = CallOrigin.current();
        try {
            CallOrigin.makeCurrent(CallOrigin.capture(carrier));
            return first.callAsync(invocation);
        } catch (Throwable broken) { // a carrier
            return CompletableFuture.failedFuture(broken);
        } finally {
            CallOrigin.makeCurrent(outer);
        }
    }
}
