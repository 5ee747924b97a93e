package dev.resilience.idempotency;

import dev.resilience.context.Deadline;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import dev.resilience.pipeline.UnstoredAnswer;
import dev.resilience.time.WaitStoppedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Claims the key, then either answers from the store or runs the rest of the pipeline and stores how it ended. */
final class IdempotencyStep extends Step {

    private final Idempotency idempotency;
    private final IdempotentOperation operation;
    private final Step next;

    IdempotencyStep(Idempotency idempotency, IdempotentOperation operation, Step next) {
        this.idempotency = idempotency;
        this.operation = operation;
        this.next = next;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        refuseIfLate();
        String key = operation.key(invocation);
        if (key == null) {
            idempotency.count(IdempotencyOutcome.NO_KEY);
            return UnstoredAnswer.unwrap(runUnprotected(invocation));
        }
        IdempotencyCall call = new IdempotencyCall(idempotency, operation.ofCall(invocation), key, invocation);
        for (Duration wait = call.claim(); wait != null; wait = call.claim()) {
            try {
                idempotency.time().sleep(wait);
            } catch (InterruptedException ended) {
                if (!(ended instanceof WaitStoppedException)) {
                    Thread.currentThread().interrupt();
                }
                call.countInProgress();
                throw call.stillInProgress();
            }
        }
        if (call.isAnswered()) {
            return call.answer();
        }
        IdempotentExecution execution = call.execution();
        return UnstoredAnswer.unwrap(execution == null ? runUnprotected(invocation) : run(execution, invocation));
    }

    /** The key of a call around this one is not passed on: another service would take two calls inside it for one. */
    private @Nullable Object runUnprotected(Invocation invocation) throws Throwable {
        IdempotencyContext outer = IdempotencyContext.current();
        IdempotencyContext.makeCurrent(null);
        try {
            return next.call(invocation);
        } finally {
            IdempotencyContext.makeCurrent(outer);
        }
    }

    private @Nullable Object run(IdempotentExecution execution, Invocation invocation) throws Throwable {
        IdempotencyContext outer = IdempotencyContext.current();
        IdempotencyContext.makeCurrent(execution.context());
        Object result;
        try {
            invocation.attach(execution.attempts());
            result = next.call(invocation);
        } catch (Throwable failure) {
            execution.callThrew(failure);
            throw failure;
        } finally {
            IdempotencyContext.makeCurrent(outer);
        }
        execution.callReturned(result);
        return result;
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        LinkedFuture answer = new LinkedFuture();
        try {
            refuseIfLate();
            String key = operation.key(invocation);
            if (key == null) {
                idempotency.count(IdempotencyOutcome.NO_KEY);
                runUnprotected(invocation, answer);
            } else {
                claim(
                        new IdempotencyCall(idempotency, operation.ofCall(invocation), key, invocation),
                        invocation,
                        answer);
            }
        } catch (RuntimeException | Error refused) {
            answer.finish(null, refused);
        }
        return answer;
    }

    /** Before the store is asked: its key is as free as after a call that failed. */
    private void refuseIfLate() {
        try {
            Deadline.check();
        } catch (DeadlineExceededException late) {
            idempotency.count(IdempotencyOutcome.RELEASED);
            throw late;
        }
    }

    private void claim(IdempotencyCall call, Invocation invocation, LinkedFuture answer) {
        try {
            Duration wait = call.claim();
            if (wait != null) {
                Runnable again = () -> claim(call, invocation, answer);
                answer.pause(idempotency.time(), wait, again, call::countInProgress);
            } else if (call.isAnswered()) {
                answer.finish(call.answer(), null);
            } else {
                run(call, invocation, answer);
            }
        } catch (Throwable refused) {
            answer.finish(null, refused);
        }
    }

    private void run(IdempotencyCall call, Invocation invocation, LinkedFuture answer) {
        IdempotentExecution execution = call.execution();
        if (execution == null) {
            runUnprotected(invocation, answer);
        } else if (answer.isOver()) {
            execution.notRun();
        } else {
            IdempotencyContext outer = IdempotencyContext.current();
            IdempotencyContext.makeCurrent(execution.context());
            try {
                BiConsumer<@Nullable Object, @Nullable Throwable> then =
                        (result, failure) -> ended(execution, answer, result, failure);
                if (call.hasWaited()) { // and runs on a thread of the policy
                    idempotency.time().bodies().runToTheEnd(answer, next, invocation, then);
                } else {
                    answer.awaitToTheEnd(next, invocation, then);
                }
            } finally {
                IdempotencyContext.makeCurrent(outer);
            }
        }
    }

    private void runUnprotected(Invocation invocation, LinkedFuture answer) {
        IdempotencyContext outer = IdempotencyContext.current();
        IdempotencyContext.makeCurrent(null);
        try {
            answer.await(next, invocation, (result, failure) -> answer.finish(UnstoredAnswer.unwrap(result), failure));
        } finally {
            IdempotencyContext.makeCurrent(outer);
        }
    }

    /** The body has really ended, and the key with it, whether the caller is still there or not. */
    private static void ended(
            IdempotentExecution execution, LinkedFuture answer, @Nullable Object result, @Nullable Throwable failure) {
        if (failure == null) {
            execution.callReturned(result);
        } else {
            execution.callThrew(failure);
        }
        answer.finish(UnstoredAnswer.unwrap(result), failure);
    }
}
