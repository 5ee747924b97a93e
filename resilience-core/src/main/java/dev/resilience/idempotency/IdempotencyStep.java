package dev.resilience.idempotency;

import dev.resilience.deadline.Deadline;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.pipeline.IdempotencyContext;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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
        IdempotencyCall call = new IdempotencyCall(idempotency, operation, invocation);
        for (Duration wait = call.claim(); wait != null; wait = call.claim()) {
            try {
                idempotency.time().sleep(wait);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                call.countInProgress();
                throw call.stillInProgress();
            }
        }
        if (call.isAnswered()) {
            return call.answer();
        }
        HeldKey key = call.key();
        return key == null ? next.call(invocation) : run(key, invocation);
    }

    private @Nullable Object run(HeldKey key, Invocation invocation) throws Throwable {
        IdempotencyContext outer = IdempotencyContext.current();
        IdempotencyContext.makeCurrent(key.context());
        Object result;
        try {
            invocation.attach(key);
            result = next.call(invocation);
        } catch (Throwable failure) {
            key.callThrew(failure);
            throw failure;
        } finally {
            IdempotencyContext.makeCurrent(outer);
        }
        key.callReturned(result);
        return result;
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        LinkedFuture answer = new LinkedFuture();
        try {
            refuseIfLate();
            claim(new IdempotencyCall(idempotency, operation, invocation), invocation, answer);
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
                run(call.key(), invocation, answer);
            }
        } catch (Throwable refused) {
            answer.finish(null, refused);
        }
    }

    private void run(@Nullable HeldKey key, Invocation invocation, LinkedFuture answer) {
        if (key == null) {
            answer.await(next, invocation, answer::finish);
        } else if (answer.isOver()) {
            key.notRun();
        } else {
            IdempotencyContext outer = IdempotencyContext.current();
            IdempotencyContext.makeCurrent(key.context());
            try {
                answer.await(next, invocation, (result, failure) -> ended(key, answer, result, failure));
            } finally {
                IdempotencyContext.makeCurrent(outer);
            }
        }
    }

    private static void ended(HeldKey key, LinkedFuture answer, @Nullable Object result, @Nullable Throwable failure) {
        if (answer.isOver()) {
            key.abandoned();
        } else if (failure == null) {
            key.callReturned(result);
        } else {
            key.callThrew(failure);
        }
        answer.finish(result, failure);
    }
}
