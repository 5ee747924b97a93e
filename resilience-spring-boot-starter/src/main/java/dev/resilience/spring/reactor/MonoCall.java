package dev.resilience.spring.reactor;

import dev.resilience.context.ContextCarrier;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The call that a subscription to a {@code Mono} is. Its value is the result of the call, and comes when the call ends. */
final class MonoCall extends SubscribedCall {

    private final MonoSink<Object> subscriber;
    private boolean hasStarted; // of the thread that starts the call

    private MonoCall(ProtectedPublishers publishers, MonoSink<Object> subscriber, @Nullable Executor elsewhere) {
        super(publishers, subscriber.contextView(), elsewhere);
        this.subscriber = subscriber;
        subscriber.onCancel(this::cancel);
    }

    /**
     * A Mono of which each subscription is a call.
     *
     * @param carrier of an idempotent method, whose store blocks: it is asked on threads of Reactor's bounded elastic
     *     scheduler, never on those on which a Mono is subscribed to or ends, which may be the only ones that bring the
     *     store's answer
     */
    static Mono<Object> assemble(
            ProtectedPublishers publishers,
            @Nullable ContextCarrier carrier,
            Pipeline pipeline,
            Function<ProtectedPublishers.Call, Invocation> calls) {
        if (carrier == null) {
            return Mono.create(subscriber -> new MonoCall(publishers, subscriber, null).start(pipeline, calls));
        }
        return ReactiveCaller.known(caller -> Mono.create(subscriber -> {
            Scheduler threads = Schedulers.boundedElastic();
            MonoCall call = new MonoCall(publishers, subscriber, threads::schedule);
            Runnable starting = carrier.wrap(() -> caller.run(() -> {
                if (!call.hasStarted) { // a carrier may run it twice
                    call.hasStarted = true;
                    call.start(pipeline, calls);
                }
            }));
            threads.schedule(() -> call.startIn(starting));
        }));
    }

    /** Begins the call with what was bound to the subscriber's thread. If that cannot be put in place, the call fails. */
    private void startIn(Runnable starting) {
        Throwable broken = null;
        try {
            starting.run();
        } catch (Throwable ofCarrier) { // once the call has begun it is not its failure
            broken = ofCarrier;
        }
        if (!hasStarted) {
            ended(null, broken == null ? AsyncCall.notRun() : broken);
        }
    }

    @Override
    long demand() {
        return Long.MAX_VALUE;
    }

    /** The first value counts. Those that the subscriber does not get are discarded. */
    @Override
    void emitted(Attempt attempt, Object element) {
        boolean isWanted;
        boolean isFirst;
        synchronized (this) {
            isWanted = attempt.upstream != Operators.cancelledSubscription();
            isFirst = attempt.value == null;
            if (isWanted && isFirst) {
                attempt.value = element;
            }
        }
        if (!isWanted) {
            attempt.outside(() -> Operators.onDiscard(element, attempt.currentContext()));
        } else if (!isFirst) {
            attempt.outside(() -> Operators.onNextDropped(element, attempt.currentContext()));
        }
    }

    @Override
    public CompletionStage<?> answer(@Nullable Object returned) {
        Object read = publishers.read(returned);
        return read instanceof Publisher<?> ? attempt(read) : CompletableFuture.completedFuture(read);
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
