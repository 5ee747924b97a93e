package dev.resilience.spring.reactor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.MonoSink;

/** The call that a subscription to a {@code Mono} is. Its value is the result of the call, and comes when the call ends. */
final class MonoCall extends SubscribedCall {

    private final MonoSink<Object> subscriber;
    private final @Nullable Executor elsewhere;

    /**
     * @param elsewhere where the ends of attempts of an idempotent call are told of; {@code null} for any other call
     */
    MonoCall(MonoSink<Object> subscriber, @Nullable Executor elsewhere) {
        super(subscriber.contextView());
        this.subscriber = subscriber;
        this.elsewhere = elsewhere;
        subscriber.onCancel(this::cancel);
    }

    @Override
    @Nullable
    Executor elsewhere() {
        return elsewhere;
    }

    /** As an idempotent call does, which holds its key until then. */
    @Override
    boolean goesOnWithoutSubscriber() {
        return elsewhere != null;
    }

    @Override
    long demand() {
        return Long.MAX_VALUE;
    }

    @Override
    void emitted(AttemptSubscriber attempt, Object element) {
        attempt.keep(element);
    }

    @Override
    public CompletionStage<?> answer(@Nullable Object returned) {
        return returned instanceof Publisher<?> ? begin(returned) : CompletableFuture.completedFuture(returned);
    }

    @Override
    void ended(@Nullable Object result, @Nullable Throwable failure) {
        if (failure != null) {
            subscriber.error(failure);
        } else if (result != null) {
            subscriber.success(result);
        } else {
            subscriber.success();
        }
    }
}
