package dev.resilience.spring.reactor;

import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/**
 * The call that a subscription to a {@code Flux} is. Elements are handed through as the subscriber requests them, over all
 * attempts together; the call has no result, and ends with the stream.
 *
 * <p>An attempt that has timed out may still be handing out an element when the call ends: signals come one at a time.
 */
final class FluxCall extends SubscribedCall implements Subscription {

    private final CoreSubscriber<Object> subscriber;
    private final Queue<Runnable> actions = new ConcurrentLinkedQueue<>(); // before the next element
    private long demand; // with the lock: what the subscriber has requested and not got

    private FluxCall(ProtectedPublishers publishers, CoreSubscriber<Object> subscriber) {
        super(publishers, subscriber.currentContext(), null);
        this.subscriber = Operators.serialize(subscriber);
    }

    /** A stream of which each subscription is a call. */
    static Flux<Object> assemble(
            ProtectedPublishers publishers, Pipeline pipeline, Function<ProtectedPublishers.Call, Invocation> calls) {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Object> subscriber) {
                FluxCall call = new FluxCall(publishers, subscriber);
                call.subscriber.onSubscribe(call); // says how to request and cancel
                call.start(pipeline, calls);
            }
        };
    }

    @Override
    public void request(long elements) {
        if (!Operators.validate(elements)) {
            return;
        }
        Attempt attempt;
        Subscription upstream;
        synchronized (this) {
            demand = Operators.addCap(demand, elements);
            attempt = current;
            upstream = attempt == null ? null : attempt.upstream;
        }
        if (attempt != null && upstream != null) {
            attempt.request(upstream, elements);
        }
    }

    @Override
    public void beforeNextElement(Runnable action) {
        actions.add(action);
    }

    @Override
    long demand() {
        return demand;
    }

    @Override
    void emitted(Attempt attempt, Object element) {
        boolean isWanted;
        synchronized (this) {
            isWanted = current == attempt && !cancelled;
            hasEmitted |= isWanted;
            if (isWanted && demand != Long.MAX_VALUE && demand > 0) {
                demand--;
            }
        }
        if (isWanted) {
            for (Runnable action = actions.poll(); action != null; action = actions.poll()) {
                action.run();
            }
            attempt.outside(() -> handOut(element, attempt));
        } else {
            attempt.outside(() -> Operators.onDiscard(element, attempt.currentContext()));
        }
    }

    private void handOut(Object element, Attempt attempt) {
        try {
            subscriber.onNext(element);
        } catch (Throwable broken) { // it counts as cancelled, by rule 2.13 of Reactive Streams
            cancel();
            Exceptions.throwIfJvmFatal(broken);
            Operators.onErrorDropped(broken, attempt.currentContext());
        }
    }

    @Override
    public CompletionStage<?> answer(@Nullable Object returned) {
        Object read = publishers.read(returned);
        return attempt(read instanceof Publisher<?> ? read : Mono.justOrEmpty(read));
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // its end is handled
    void ended(@Nullable Object result, @Nullable Throwable failure) {
        if (failure != null) {
            subscriber.onError(failure);
        } else if (result != null) { // of a fallback in a pipeline that was composed by hand
            CompletableFuture.completedFuture(result).thenCompose(this::answer).handle((nothing, failed) -> {
                ended(null, failed == null ? null : AsyncCall.unwrap(failed));
                return true;
            });
        } else {
            subscriber.onComplete();
        }
    }
}
