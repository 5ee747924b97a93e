package dev.resilience.spring.reactor;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.spring.reactor.ProtectedPublishers.PublisherType;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * Protects a {@code Mono} or {@code Flux} by a pipeline, without annotations: each subscription is one call, and each
 * attempt subscribes to the source again.
 *
 * <pre>{@code
 * prices.stream().transformDeferred(ResilienceOperator.of(pipeline))
 * }</pre>
 *
 * <p>Not for pipelines with an idempotent layer, whose store would be asked on the subscriber's thread. Immutable and safe
 * for use by many threads.
 *
 * @param <T> the elements
 */
public final class ResilienceOperator<T> implements UnaryOperator<Publisher<T>> {

    private static final ProtectedPublishers MONOS = PublisherType.MONO.publishers(false, null);
    private static final ProtectedPublishers STREAMS = PublisherType.FLUX.publishers(false, null);

    private final Pipeline pipeline;
    private final Predicate<Throwable> mayRepeat;

    private ResilienceOperator(Pipeline pipeline, Predicate<Throwable> mayRepeat) {
        this.pipeline = pipeline;
        this.mayRepeat = mayRepeat;
    }

    /** Protects by these layers. */
    public static <T> ResilienceOperator<T> of(Pipeline pipeline) {
        return of(pipeline, failure -> true);
    }

    /**
     * Protects by these layers.
     *
     * @param mayRepeat whether the source may be subscribed to again after a failure, if the policy of a retry wants it
     */
    public static <T> ResilienceOperator<T> of(Pipeline pipeline, Predicate<Throwable> mayRepeat) {
        return new ResilienceOperator<>(pipeline, mayRepeat);
    }

    /**
     * The protected source, a {@code Mono} if that is one, and else a {@code Flux}. It does nothing until it is
     * subscribed to.
     */
    @Override
    @SuppressWarnings("unchecked") // what comes out is what goes in
    public Publisher<T> apply(Publisher<T> source) {
        Function<ProtectedPublishers.Call, Invocation> calls = call -> new Attempts(source, call, mayRepeat);
        return (Publisher<T>)
                (source instanceof Mono<?>
                        ? MonoCall.assemble(MONOS, null, pipeline, calls)
                        : FluxCall.assemble(STREAMS, pipeline, calls));
    }

    private record Attempts(Publisher<?> source, ProtectedPublishers.Call call, Predicate<Throwable> accepted)
            implements Invocation {

        @Override
        public CompletionStage<?> proceed() {
            return call.begin(source);
        }

        @Override
        public boolean mayRepeat(Throwable failure) {
            return accepted.test(failure);
        }

        @Override
        public boolean hasEmitted() {
            return call.hasEmitted();
        }

        @Override
        public void beforeNextElement(Runnable action) {
            call.beforeNextElement(action);
        }
    }
}
