package dev.resilience.spring.reactor;

import dev.resilience.context.CallContext;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.AsyncWait;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The call that one subscription is: an asynchronous call of a pipeline, in which every attempt subscribes to a publisher.
 *
 * <p>Of several attempts one is current. The lock decides what belongs together: whether an element is of the current
 * attempt, and that it has been handed out. So an attempt that has timed out, and still emits, neither repeats elements nor
 * makes a retry repeat them. Code of others is never called under the lock.
 */
abstract class SubscribedCall implements ProtectedPublishers.Call {

    private static final ContextSnapshotFactory SNAPSHOTS =
            ContextSnapshotFactory.builder().build();

    /** A class by name, because Spring's transactions need not be there. */
    private static final String TRANSACTION = "class org.springframework.transaction.reactive.TransactionContext";

    final ProtectedPublishers publishers;
    private final ContextView context;
    private final @Nullable Executor elsewhere;

    boolean hasEmitted; // this and the next with the lock

    @Nullable
    Attempt current;

    private CallContext callersContext = CallContext.NONE; // of the subscriber
    volatile boolean cancelled;
    private volatile boolean hasEnded;
    private volatile boolean isSatisfied; // the subscriber has cancelled behind an element
    private volatile @Nullable CompletableFuture<@Nullable Object> answer;

    /**
     * @param context what the subscriber has in Reactor's
     * @param elsewhere runs what comes when an attempt of an idempotent call has ended. Such a call goes on without its
     *     subscriber, because it holds its key until it ends. {@code null} for any other call
     */
    SubscribedCall(ProtectedPublishers publishers, ContextView context, @Nullable Executor elsewhere) {
        this.publishers = publishers;
        this.context = context;
        this.elsewhere = elsewhere;
    }

    /**
     * Begins the call, with the thread-locals that Reactor's context holds: from the thread the call takes them along
     * wherever it goes on. The subscriber knows by now how to cancel it.
     */
    @SuppressWarnings({"FutureReturnValueIgnored", "try"}) // what the subscriber throws is its own
    void start(Pipeline pipeline, Function<ProtectedPublishers.Call, Invocation> calls) {
        if (cancelled) {
            return;
        }
        CompletableFuture<@Nullable Object> started = null;
        try (ContextSnapshot.Scope onThread = context.isEmpty() ? null : SNAPSHOTS.setThreadLocalsFrom(context)) {
            callersContext = CallContext.current();
            started = pipeline.invokeAsync(calls.apply(this));
        } catch (Throwable broken) { // what takes thread-locals out of Reactor's context
            if (started == null) { // once the call has begun it is not its failure
                ended(null, broken);
                return;
            }
        }
        answer = started;
        if (cancelled && !isSatisfied) {
            cancelAnswer();
        }
        started.handle((result, failure) -> {
            hasEnded = true;
            hasEmitted(); // what the attempt would still hand out is dropped
            if (!cancelled) {
                ended(result, failure == null ? null : AsyncCall.unwrap(failure));
            }
            return true;
        });
    }

    /**
     * The subscriber wants no more. After an element it has what it wanted, so the call is no failure. While the source is
     * being subscribed to, the answer does not reach it, and what it does to that thread would reach the subscriber there.
     */
    public final void cancel() {
        Attempt running;
        synchronized (this) {
            cancelled = true;
            isSatisfied |= hasEmitted && current != null;
            running = isAbandoned() ? current : null;
        }
        boolean isSubscribing = running != null && running.subscribing != null;
        if (running != null && isSatisfied) {
            running.cancel(true);
        } else if (running != null) {
            running.stop();
        }
        if (!isSubscribing) {
            cancelAnswer();
        }
    }

    /** Not by {@code cancel}, which would make an exception that nothing reads. */
    private void cancelAnswer() {
        CompletableFuture<@Nullable Object> started = answer;
        if (started != null) {
            started.complete(null);
        }
    }

    @Override
    public final CompletionStage<?> begin(@Nullable Object publisher) {
        return attempt(publishers.read(publisher));
    }

    final CompletionStage<?> attempt(@Nullable Object read) {
        if (!(read instanceof Publisher<?> source)) {
            throw new NullPointerException("A reactive method returned " + read + " in place of a publisher");
        }
        Attempt attempt = new Attempt();
        synchronized (this) {
            current = attempt;
        }
        if (!isAbandoned()) { // otherwise the stage is about to be cancelled
            attempt.subscribeTo(source);
        } else if (isSatisfied) {
            attempt.complete(null); // nothing else ends it
        }
        if (isAbandoned() && !isSatisfied) { // by this thread
            cancelAnswer();
        }
        return attempt;
    }

    /** Whether nothing is to come of the current attempt any more, because the subscriber has cancelled. */
    private boolean isAbandoned() {
        return cancelled && elsewhere == null;
    }

    @Override
    public final @Nullable Object exchange() {
        return ReactiveCallContext.requestOf(context);
    }

    /** Or in the scope of one that there need not be, as with {@code SUPPORTS}. */
    @Override
    public final boolean isInTransaction() {
        return context.stream().anyMatch(entry -> entry.getKey().toString().equals(TRANSACTION));
    }

    @Override
    public final boolean isOver() {
        return cancelled || hasEnded;
    }

    @Override
    public final boolean hasEmitted() {
        synchronized (this) {
            current = null;
            return hasEmitted;
        }
    }

    /** How many elements an attempt may emit at first; called with the lock. */
    abstract long demand();

    abstract void emitted(Attempt attempt, Object element);

    /** The call has ended, and not because the subscriber has cancelled it. */
    abstract void ended(@Nullable Object result, @Nullable Throwable failure);

    /** The subscriber's context with the call in it, and with its observation, if it has one. */
    private Context contextOfAttempt() {
        Context ofCall = ReactiveCallContext.in(context, CallContext.current());
        return CallContext.ofThread()[CallContext.OBSERVER] == null
                ? ofCall
                : SNAPSHOTS.captureAll().updateContext(ofCall, "micrometer.observation"::equals);
    }

    /** One attempt: subscribes to its publisher, and is the stage that ends when the publisher does. */
    final class Attempt extends CompletableFuture<@Nullable Object> implements CoreSubscriber<Object> {

        private final Context contextOfAttempt = contextOfAttempt();
        private boolean done;

        @Nullable
        Object value; // of a call that has one value; this and the next with the lock

        @Nullable
        Subscription upstream; // one that is cancelled when the attempt is stopped

        private volatile @Nullable Thread subscribing; // until the source lets go of it

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            stop();
            return complete(null); // its call reads it no more
        }

        void subscribeTo(Publisher<?> source) {
            subscribing = Thread.currentThread();
            try {
                source.subscribe(this);
            } finally {
                subscribing = null;
            }
        }

        @Override
        public Context currentContext() {
            return contextOfAttempt;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            long requested = -1;
            synchronized (SubscribedCall.this) {
                if (upstream == null) { // not stopped before, nor a publisher that does so twice
                    upstream = subscription;
                    requested = demand();
                }
            }
            if (requested < 0) {
                cancel(subscription);
            } else if (requested > 0) {
                request(subscription, requested);
            }
        }

        void request(Subscription subscription, long elements) {
            try {
                subscription.request(elements);
            } catch (Throwable broken) {
                fail(broken);
            }
        }

        private void cancel(Subscription subscription) {
            try {
                subscription.cancel();
            } catch (Throwable broken) {
                AsyncWait.cancellationFailed(subscription, broken);
            }
        }

        /** Runs code of others that is no part of the call, though this thread may be the one that subscribes for the call. */
        void outside(Runnable action) {
            Executor where = subscribing == Thread.currentThread() ? callersContext::run : Runnable::run;
            where.execute(action);
        }

        /** Code of others has thrown where that is not foreseen: nothing else may end the attempt any more. */
        private void fail(Throwable broken) {
            stop();
            onError(broken);
        }

        @Override
        public void onNext(Object element) {
            if (done) {
                outside(() -> Operators.onNextDropped(element, contextOfAttempt));
            } else if (element == null) { // as of a Flow; some subscribers would take it for the end
                fail(new NullPointerException("A publisher emitted null"));
            } else {
                try {
                    emitted(this, element);
                } catch (Throwable ofHook) {
                    fail(ofHook);
                }
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (done) {
                outside(() -> Operators.onErrorDropped(failure, contextOfAttempt));
                return;
            }
            end(Objects.requireNonNullElseGet(failure, () -> new NullPointerException("A publisher failed with null")));
        }

        @Override
        public void onComplete() {
            if (!done) {
                end(null);
            }
        }

        private void end(@Nullable Throwable failure) {
            done = true;
            if (isAbandoned()) {
                return; // what a source signals because it is cancelled is no failure
            }
            Object result = takeValue();
            if (failure != null) {
                outside(() -> Operators.onDiscard(result, contextOfAttempt));
            }
            try {
                if (elsewhere != null && Thread.currentThread() != subscribing) {
                    elsewhere.execute(() -> end(result, failure));
                    return;
                }
            } catch (Throwable noThread) {
                // late is better than never: the method has had its effect
            }
            end(result, failure);
        }

        private void end(@Nullable Object result, @Nullable Throwable failure) {
            if (failure == null) {
                complete(result);
            } else {
                completeExceptionally(failure);
            }
        }

        private @Nullable Object takeValue() {
            synchronized (SubscribedCall.this) {
                Object taken = value;
                value = null;
                return taken;
            }
        }

        /** Cancels the subscription, now or as soon as there is one. Done once, however often it is called. */
        private void stop() {
            Subscription stopped;
            synchronized (SubscribedCall.this) {
                stopped = upstream;
                upstream = Operators.cancelledSubscription();
            }
            if (stopped != null) {
                cancel(stopped);
            }
            outside(() -> Operators.onDiscard(takeValue(), contextOfAttempt));
        }
    }
}
