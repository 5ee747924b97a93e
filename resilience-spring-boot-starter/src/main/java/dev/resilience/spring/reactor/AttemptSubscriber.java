package dev.resilience.spring.reactor;

import dev.resilience.context.CallContext;
import dev.resilience.pipeline.LinkedFuture;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** One attempt of a call: subscribes to its publisher, and ends a stage when the publisher ends. */
final class AttemptSubscriber implements CoreSubscriber<Object> {

    private final SubscribedCall call;
    private final @Nullable Executor elsewhere;
    private final Context context;
    private final LinkedFuture stage = new LinkedFuture();
    private @Nullable Subscription upstream; // with the lock of the call
    private boolean stopped; // likewise
    private boolean done;
    private @Nullable Object value; // likewise
    private volatile @Nullable Thread subscribing;

    /**
     * @param elsewhere runs what comes when the attempt has ended; {@code null} for the thread on which it ends
     */
    AttemptSubscriber(SubscribedCall call, @Nullable Executor elsewhere) {
        this.call = call;
        this.elsewhere = elsewhere;
        this.context = ReactiveCallContext.in(call.context(), CallContext.current());
        stage.cancelling(this::stop);
    }

    LinkedFuture stage() {
        return stage;
    }

    void subscribeTo(Publisher<?> source) {
        subscribing = Thread.currentThread();
        try {
            source.subscribe(this);
        } finally {
            subscribing = null;
        }
    }

    /** The thread that subscribes to the source, until the source lets go of it. */
    @Nullable
    Thread subscribing() {
        return subscribing;
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        long demand;
        synchronized (call) {
            if (stopped || upstream != null) { // cancelled before, or a publisher that does so twice
                demand = -1;
            } else {
                upstream = subscription;
                demand = call.demand();
            }
        }
        if (demand < 0) {
            subscription.cancel();
        } else if (demand > 0) {
            subscription.request(demand);
        }
    }

    @Override
    public void onNext(Object element) {
        if (done) {
            Operators.onNextDropped(element, context);
        } else if (element == null) { // as of a Flow; some subscribers would take it for the end
            stop();
            onError(new NullPointerException("A publisher emitted null"));
        } else {
            call.emitted(this, element);
        }
    }

    @Override
    public void onError(Throwable failure) {
        if (done) {
            Operators.onErrorDropped(failure, context);
            return;
        }
        done = true;
        end(Objects.requireNonNullElseGet(failure, () -> new NullPointerException("A publisher failed with null")));
    }

    @Override
    public void onComplete() {
        if (!done) {
            done = true;
            end(null);
        }
    }

    private void end(@Nullable Throwable failure) {
        if (call.isAbandoned()) {
            return; // the stage is cancelled: what a source signals because it is cancelled is no failure
        }
        Object kept = takeValue();
        Object result = failure == null ? kept : null;
        if (failure != null) {
            Operators.onDiscard(kept, context);
        }
        Executor other = elsewhere;
        if (other == null || Thread.currentThread() == subscribing) {
            stage.finish(result, failure);
            return;
        }
        try {
            other.execute(() -> stage.finish(result, failure));
        } catch (RejectedExecutionException full) { // late is better than never: the method has had its effect
            stage.finish(result, failure);
        }
    }

    /** Of a call that has one value; the first one counts. Values that the subscriber does not get are discarded. */
    void keep(Object element) {
        boolean isWanted;
        boolean isFirst;
        synchronized (call) {
            isWanted = !stopped;
            isFirst = value == null;
            if (isWanted && isFirst) {
                value = element;
            }
        }
        if (!isWanted) {
            Operators.onDiscard(element, context);
        } else if (!isFirst) {
            Operators.onNextDropped(element, context);
        }
    }

    private @Nullable Object takeValue() {
        synchronized (call) {
            Object taken = value;
            value = null;
            return taken;
        }
    }

    /** Where elements are requested; {@code null} before the subscription, and once it is cancelled. With the call's lock. */
    @Nullable
    Subscription upstream() {
        return stopped ? null : upstream;
    }

    /** The subscriber has what it wanted of this attempt. */
    void endEarly() {
        stop();
        stage.finish(null, null);
    }

    /** Cancels the subscription, now or as soon as there is one. Done once, however often it is called. */
    void stop() {
        Subscription subscription;
        synchronized (call) {
            subscription = stopped ? null : upstream;
            stopped = true;
        }
        if (subscription != null) {
            subscription.cancel();
        }
        Operators.onDiscard(takeValue(), context);
    }
}
