package dev.resilience.pipeline;

import dev.resilience.context.CallContext;
import dev.resilience.context.ContextCarrier;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Layers composed in an order, once; every call walks them. Immutable and safe for use by many threads. Applications get
 * theirs from {@link dev.resilience.Resilience}.
 *
 * <pre>{@code
 * Receipt receipt = payments.call(() -> gateway.charge(order));
 * }</pre>
 */
public final class Pipeline {

    private final Step first;

    private Pipeline(Step first) {
        this.first = first;
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
        Step step = new BodyStep(carrier);
        for (int i = layers.size() - 1; i >= 0; i--) {
            ContextCarrier inside = step.carrier;
            step = layers.get(i).around(step);
            if (!(step instanceof AsyncStep)) {
                step.carrier = inside; // for the library's steps around it
            }
        }
        return new Pipeline(step);
    }

    /**
     * Runs the body behind the layers and returns what it returns. It runs on the calling thread, unless a bulkhead or a
     * time limit has threads of its own.
     *
     * <p>Allocates nothing beyond the lambda, unless a layer has something to do.
     *
     * @throws X what the body threw, the same instance and in no wrapper. Beside it the layers throw
     *     {@link dev.resilience.exception.ResilienceException}s, which are unchecked
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // a layer returns what the body returned and throws what it threw
    public <T extends @Nullable Object, X extends Throwable> T call(ThrowingSupplier<T, X> body) throws X {
        try {
            return (T) first.call(body);
        } catch (Throwable failure) {
            throw (X) failure;
        }
    }

    /** As {@link #call}, for a body that returns nothing. */
    @SuppressWarnings("unchecked") // a layer throws what the body threw
    public <X extends Throwable> void run(ThrowingRunnable<X> body) throws X {
        try {
            first.call(body);
        } catch (Throwable failure) {
            throw (X) failure;
        }
    }

    /** As {@link #call}, for a {@link Supplier} that exists already. */
    public <T extends @Nullable Object> T get(Supplier<T> body) {
        return call(body::get);
    }

    /**
     * Starts the body behind the same layers and returns the future of its result. Waits hold no thread.
     *
     * @param body returns the stage of the result; called again for each further attempt
     * @return never fails to be returned: a refusal, or what the body throws, is the future's failure, in no wrapper.
     *     Cancelling it cancels a pending retry, a place in a queue or the running body
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
        try {
            return first.callAsync(invocation);
        } catch (Throwable broken) { // a step of the application
            return CompletableFuture.failedFuture(broken);
        }
    }

    /** The innermost step: the method itself, as long as there is time for it. */
    static final class BodyStep extends AsyncStep {

        BodyStep(ContextCarrier carrier) {
            this.carrier = carrier;
        }

        @Override
        public @Nullable Object call(Invocation invocation) throws Throwable {
            CallContext.methodBegins(invocation);
            return invocation.proceed();
        }
    }
}
