package dev.resilience.spring.reactor;

import dev.resilience.exception.BodyCancelledException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Publishers of Kotlin's suspending functions. Spring's proxies make a {@code Mono} of the function, in the context of the
 * caller's coroutine, and suspend the caller until the protected one has ended; of one that returns a {@code Flow}, a
 * {@code Flux}.
 *
 * <p>A body that ends with a {@code CancellationException} was cancelled: no layer takes that for a failure. That of
 * {@code withTimeout} inside the body is a timeout. If the caller is cancelled, so is the subscription, and the body does
 * not come here.
 */
public final class SuspendingCalls implements ProtectedPublishers {

    private static final String TIMEOUT = "kotlinx.coroutines.TimeoutCancellationException";

    private final ProtectedPublishers publishers;

    /** @param publishers those of methods that return the same publisher by themselves */
    public SuspendingCalls(ProtectedPublishers publishers) {
        this.publishers = publishers;
    }

    @Override
    public Object assemble(Pipeline pipeline, Function<PublisherCall, Invocation> calls) {
        Object publisher = publishers.assemble(pipeline, call -> calls.apply(new Body(call)));
        return mapErrors(
                publisher,
                failure -> failure instanceof BodyCancelledException cancelled ? cancelled.cancellation() : failure);
    }

    private static Throwable cancellation(Throwable failure) {
        boolean isCancelled = failure instanceof CancellationException cancelled
                && !cancelled.getClass().getName().equals(TIMEOUT);
        return isCancelled ? new BodyCancelledException(failure) : failure;
    }

    private static Object mapErrors(Object publisher, UnaryOperator<Throwable> mapping) {
        return publisher instanceof Mono<?> mono ? mono.onErrorMap(mapping) : ((Flux<?>) publisher).onErrorMap(mapping);
    }

    private record Body(PublisherCall call) implements PublisherCall {

        @Override
        public CompletionStage<?> begin(@Nullable Object publisher) {
            return call.begin(cancellable(publisher));
        }

        @Override
        public CompletionStage<?> answer(@Nullable Object returned) {
            ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance()
                    .getAdapter(null, returned); // a Flow, of a plain function
            return call.answer(cancellable(adapter == null ? returned : adapter.toPublisher(returned)));
        }

        private static @Nullable Object cancellable(@Nullable Object returned) {
            return returned instanceof Publisher<?> publisher
                    ? mapErrors(
                            publisher instanceof Mono<?> ? publisher : Flux.from(publisher),
                            SuspendingCalls::cancellation)
                    : returned;
        }

        @Override
        public @Nullable Object exchange() {
            return call.exchange();
        }

        @Override
        public boolean endAttempt() {
            return call.endAttempt();
        }
    }
}
