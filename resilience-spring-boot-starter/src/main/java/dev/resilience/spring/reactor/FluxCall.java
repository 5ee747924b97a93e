package dev.resilience.spring.reactor;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * The call that a subscription to a {@code Flux} is. Elements are handed through as the subscriber requests them, over all
 * attempts together; the call has no result, and ends with the stream.
 *
 * <p>An attempt that has timed out may still be handing out an element when the call ends: signals come one at a time.
 */
final class FluxCall extends SubscribedCall implements Subscription {

    private final CoreSubscriber<Object> subscriber;
    private long demand; // with the lock: what the subscriber has requested and not got

    FluxCall(CoreSubscriber<Object> subscriber) {
        super(subscriber.currentContext());
        this.subscriber = Operators.serialize(subscriber);
    }

    /** Tells the subscriber how to request and cancel. */
    void begin() {
        subscriber.onSubscribe(this);
    }

    @Override
    public void request(long elements) {
        if (!Operators.validate(elements)) {
            return;
        }
        Subscription upstream;
        synchronized (this) {
            demand = Operators.addCap(demand, elements);
            AttemptSubscriber attempt = current();
            upstream = attempt == null ? null : attempt.upstream();
        }
        if (upstream != null) {
            upstream.request(elements);
        }
    }

    @Override
    long demand() {
        return demand;
    }

    @Override
    void emitted(AttemptSubscriber attempt, Object element) {
        boolean isWanted;
        synchronized (this) {
            isWanted = emits(attempt);
            if (isWanted && demand != Long.MAX_VALUE && demand > 0) {
                demand--;
            }
        }
        if (isWanted) {
            subscriber.onNext(element);
        } else {
            Operators.onDiscard(element, attempt.currentContext());
        }
    }

    @Override
    public CompletionStage<?> answer(@Nullable Object returned) {
        if (returned instanceof Publisher<?>) {
            return begin(returned);
        }
        return begin(returned == null ? Flux.empty() : Flux.just(returned));
    }

    @Override
    void ended(@Nullable Object result, @Nullable Throwable failure) {
        if (failure != null) {
            subscriber.onError(failure);
        } else if (result != null) { // of a fallback in a pipeline that was composed by hand
            answer(result).handle((nothing, failed) -> {
                ended(null, failed);
                return true;
            });
        } else {
            subscriber.onComplete();
        }
    }
}
