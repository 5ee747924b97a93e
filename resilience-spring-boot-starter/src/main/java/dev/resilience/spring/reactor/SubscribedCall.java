package dev.resilience.spring.reactor;

import dev.resilience.context.CallContext;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Pipeline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.util.context.ContextView;

/**
 * The call that one subscription is: an asynchronous call of a pipeline, in which every attempt subscribes to a publisher.
 *
 * <p>Of several attempts one is current. The lock decides what belongs together: whether an element is of the current
 * attempt, and that it has been handed out. So an attempt that has timed out, and still emits, neither repeats elements nor
 * makes a retry repeat them. Code of others is never called under the lock.
 */
abstract class SubscribedCall implements PublisherCall {

    private final ContextView context;
    private @Nullable AttemptSubscriber current;
    private boolean hasEmitted;
    private volatile boolean cancelled;
    private volatile boolean isSatisfied; // the subscriber has cancelled behind an element
    private volatile @Nullable CompletableFuture<@Nullable Object> answer;

    /** Says of the subscriber what it has in Reactor's context. */
    SubscribedCall(ContextView context) {
        this.context = context;
    }

    /** Begins the call. The subscriber knows by now how to cancel it. */
    @SuppressWarnings("FutureReturnValueIgnored") // what the subscriber throws is its own
    void start(Pipeline pipeline, Function<PublisherCall, Invocation> calls) {
        if (cancelled) {
            return;
        }
        CompletableFuture<@Nullable Object> started;
        try {
            started = ReactorThreadLocals.in(context, () -> invoke(pipeline, calls.apply(this)));
        } catch (Throwable broken) { // what takes thread-locals out of Reactor's context
            ended(null, broken);
            return;
        }
        answer = started;
        if (cancelled && !isSatisfied) {
            started.cancel(true);
        }
        started.handle((result, failure) -> {
            endAttempt();
            if (!cancelled) {
                ended(result, failure == null ? null : LinkedFuture.unwrap(failure));
            }
            return true;
        });
    }

    private CompletableFuture<@Nullable Object> invoke(Pipeline pipeline, Invocation invocation) {
        CallContext before = CallContext.current();
        ReactiveCallContext.of(context).makeCurrent();
        try {
            return pipeline.invokeAsync(invocation);
        } finally {
            before.makeCurrent();
        }
    }

    /**
     * The subscriber wants no more. After an element it has what it wanted, so the call is no failure. While the source is
     * being subscribed to, the answer does not reach it, and what it does to that thread would reach the subscriber there.
     */
    public final void cancel() {
        AttemptSubscriber running;
        synchronized (this) {
            cancelled = true;
            isSatisfied |= hasEmitted && current != null;
            running = goesOnWithoutSubscriber() ? null : current;
        }
        Thread subscribing = running == null ? null : running.subscribing();
        if (running != null && isSatisfied) {
            running.endEarly();
        } else if (running != null) {
            running.stop();
        }
        if (subscribing == null || (subscribing != Thread.currentThread() && !isSatisfied)) {
            cancelAnswer();
        }
    }

    private void cancelAnswer() {
        CompletableFuture<@Nullable Object> started = answer;
        if (started != null) {
            started.cancel(true);
        }
    }

    @Override
    public CompletionStage<?> begin(@Nullable Object publisher) {
        if (!(publisher instanceof Publisher<?> source)) {
            throw new NullPointerException("A reactive method returned " + publisher + " in place of a publisher");
        }
        AttemptSubscriber attempt = new AttemptSubscriber(this, elsewhere());
        synchronized (this) {
            current = attempt;
        }
        if (!cancelled || goesOnWithoutSubscriber()) { // otherwise the stage is about to be cancelled
            attempt.subscribeTo(source);
        } else if (isSatisfied) {
            attempt.endEarly(); // nothing else ends it
        }
        if (isAbandoned() && !isSatisfied) { // by this thread
            cancelAnswer();
        }
        return attempt.stage();
    }

    @Override
    public final @Nullable Object exchange() {
        return ReactiveRequest.of(context);
    }

    @Override
    public final boolean endAttempt() {
        synchronized (this) {
            current = null;
            return hasEmitted;
        }
    }

    /** Whether an attempt is the current one, which from now on has emitted. For subclasses that hold the lock. */
    final boolean emits(AttemptSubscriber attempt) {
        boolean isCurrent = current == attempt && !cancelled;
        hasEmitted |= isCurrent;
        return isCurrent;
    }

    /** The attempt in hand, for subclasses that hold the lock. */
    final @Nullable AttemptSubscriber current() {
        return current;
    }

    final ContextView context() {
        return context;
    }

    /** Where the ends of attempts are told of; {@code null} for the threads on which they come. */
    @Nullable
    Executor elsewhere() {
        return null;
    }

    /** Whether attempts may begin, and go on to their ends, when the subscriber has cancelled: nothing need cancel them then. */
    boolean goesOnWithoutSubscriber() {
        return false;
    }

    /** How many elements an attempt may emit at first; called with the lock. */
    abstract long demand();

    /** Whether nothing is to come of the current attempt any more, because the subscriber has cancelled. */
    final boolean isAbandoned() {
        return cancelled && !goesOnWithoutSubscriber();
    }

    abstract void emitted(AttemptSubscriber attempt, Object element);

    /** The call has ended, and not because the subscriber has cancelled it. */
    abstract void ended(@Nullable Object result, @Nullable Throwable failure);
}
