package dev.resilience.idempotency;

import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.AsyncStep;
import dev.resilience.pipeline.InterruptibleExecution;
import dev.resilience.pipeline.InterruptibleExecution.Stoppable;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Claims the key, then either answers from the store or runs the rest of the pipeline and stores how it ended. */
final class IdempotencyStep extends AsyncStep {

    private final Idempotency idempotency;
    private final IdempotentOperation operation;

    IdempotencyStep(Idempotency idempotency, IdempotentOperation operation, Step next) {
        super(next);
        this.idempotency = idempotency;
        this.operation = operation;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        IdempotencyCall call = begin(invocation);
        if (call == null) {
            return callIn(null, invocation);
        }
        for (Duration wait = call.claim(); wait != null; wait = call.claim()) {
            if (!slept(wait)) {
                throw call.inProgress();
            }
        }
        if (call.isAnswered()) {
            return call.answer();
        }
        IdempotentExecution execution = call.execution;
        return execution == null ? callIn(null, invocation) : run(execution, invocation);
    }

    private boolean slept(Duration wait) {
        try {
            return idempotency.waits.sleep(wait);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Returns {@code null} for a call without a key, which runs unprotected. One that is late is refused before the store is
     * asked: its key is as free as after a call that failed.
     */
    private @Nullable IdempotencyCall begin(Invocation invocation) {
        try {
            Deadline.check();
        } catch (DeadlineExceededException late) {
            idempotency.reports.count(IdempotencyOutcome.RELEASED);
            throw late;
        }
        String key = operation.key(invocation);
        if (key == null && operation.isFromCode()) {
            throw new IdempotencyKeyMissingException("The key for idempotency '" + idempotency.name() + "' is null");
        }
        if (key == null) {
            idempotency.reports.count(IdempotencyOutcome.NO_KEY);
            return null;
        }
        return new IdempotencyCall(idempotency, operation.ofCall(invocation), key, invocation);
    }

    private @Nullable Object run(IdempotentExecution execution, Invocation invocation) throws Throwable {
        IdempotencyContext context = execution.context(invocation);
        Object result;
        try {
            result = callIn(context, execution.begins(invocation));
        } catch (Throwable failure) {
            execution.callThrew(failure);
            throw failure;
        }
        execution.callReturned(result, !context.isAnsweredByFallback());
        return result;
    }

    /**
     * Runs the rest of the pipeline.
     *
     * @param context {@code null} for a call that runs unprotected. The key of a call around it is not passed on: another
     *     service would take two calls inside that for one
     */
    private @Nullable Object callIn(@Nullable IdempotencyContext context, Invocation invocation) throws Throwable {
        IdempotencyContext outer = IdempotencyContext.current();
        IdempotencyContext.makeCurrent(context);
        try {
            return next.call(invocation);
        } finally {
            IdempotencyContext.makeCurrent(outer);
        }
    }

    /**
     * Asked once more after each wait for another call with the key. A call that has its key is awaited here, so only an
     * unprotected one goes inward. Until that is known the step holds the {@link IdempotencyCall}.
     */
    @Override
    protected Next enter(AsyncCall call) throws Throwable {
        IdempotencyCall claiming = (IdempotencyCall) call.held();
        if (claiming == null) {
            claiming = begin(call.invocation());
            if (claiming == null) {
                return enterUnprotected(call);
            }
            call.hold(claiming);
        } else if (call.failure() != null || idempotency.waits.isStopped()) { // cancelled, or the application ends
            throw claiming.inProgress();
        }
        Duration wait = claiming.claim();
        if (wait != null) {
            return idempotency.waits.pause(call, wait);
        }
        if (claiming.isAnswered()) {
            call.end(claiming.answer(), null);
            return Next.OUTWARD;
        }
        IdempotentExecution execution = claiming.execution;
        if (execution == null) {
            return enterUnprotected(call);
        }
        if (call.isOver()) {
            execution.notRun();
            throw new CancellationException();
        }
        return call.await(toItsEnd(execution, claiming, call.invocation()));
    }

    /** From now on the step holds the idempotent call around this one, for the way outward. */
    private static Next enterUnprotected(AsyncCall call) {
        call.hold(call.idempotency());
        call.idempotency(null);
        return Next.INWARD;
    }

    /** Of a call that runs unprotected. */
    @Override
    protected Next exit(AsyncCall call) {
        call.idempotency((IdempotencyContext) call.held());
        return Next.OUTWARD;
    }

    /**
     * Once the method is called, not cancelled with the call: the key is held until the body has really ended, whether the caller
     * is there or not.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // of a cancellation
    private CompletableFuture<@Nullable Object> toItsEnd(
            IdempotentExecution execution, IdempotencyCall claiming, Invocation invocation) {
        CallContext outer = CallContext.current();
        IdempotencyContext context = execution.context(invocation);
        InterruptibleExecution beginning = new InterruptibleExecution();
        CompletableFuture<CompletableFuture<@Nullable Object>> begun = new CompletableFuture<>();
        Stoppable running = () -> {
            beginning.interrupt();
            begun.thenAccept(body -> body.cancel(true));
        };
        if (claiming.hasWaited) { // and runs on a thread of the policy
            idempotency.waits.add(running);
        }
        IdempotencyContext.makeCurrent(context);
        beginning.begin();
        try {
            begun.complete(next.callAsync(invocation));
        } catch (Throwable ofStep) { // of the application
            begun.complete(CompletableFuture.failedFuture(ofStep));
        } finally {
            beginning.end();
            outer.makeCurrent();
        }
        CompletableFuture<@Nullable Object> ended = begun.join().handle((result, failure) -> {
            idempotency.waits.remove(running);
            outer.run(() -> {
                if (failure == null) {
                    execution.callReturned(result, !context.isAnsweredByFallback());
                } else if (context.isWithdrawn()) {
                    idempotency.waits.execute(execution::notRun); // the canceller must not wait for a store
                } else {
                    execution.callThrew(failure);
                }
            });
            if (failure != null) {
                throw new CompletionException(failure);
            }
            return result;
        });
        CompletableFuture<@Nullable Object> callers = ended.copy(); // cancelled alone: the end is stored all the same
        callers.whenComplete((result, failure) -> {
            if (callers.isCancelled() && context.withdraw()) { // it waits in the queue of a bulkhead
                begun.join().cancel(true);
            }
        });
        return callers;
    }
}
