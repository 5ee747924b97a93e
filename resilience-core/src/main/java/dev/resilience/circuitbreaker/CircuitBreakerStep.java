package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Asks for a permit, runs the rest of the pipeline, and gives the permit back with how that ended. */
final class CircuitBreakerStep extends Step {

    private final CircuitBreaker breaker;
    private final Step next;

    CircuitBreakerStep(CircuitBreaker breaker, Step next) {
        this.breaker = breaker;
        this.next = next;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        Permit permit = breaker.admit();
        long start = startNanos(permit);
        Object result;
        try {
            result = next.call(invocation);
        } catch (Throwable failure) {
            failed(permit, start, failure);
            throw failure;
        }
        answered(permit, start, result);
        return result;
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        Permit permit;
        try {
            permit = breaker.admit();
        } catch (Throwable refused) {
            return CompletableFuture.failedFuture(refused);
        }
        long start = startNanos(permit);
        LinkedFuture answer = new LinkedFuture();
        answer.await(next, invocation, (result, failure) -> {
            boolean cancelled = answer.isOver();
            if (failure == null && invocation.endAttempt()) {
                permit.succeeded(
                        nanosSince(permit, start)); // the caller has the result in parts: none is there to judge
            } else {
                ended(permit, start, result, failure, cancelled);
            }
            answer.finish(result, failure);
        });
        return answer;
    }

    private void ended(
            Permit permit, long start, @Nullable Object result, @Nullable Throwable failure, boolean cancelled) {
        if (failure == null) {
            answered(permit, start, result);
        } else if (cancelled) {
            permit.ignored();
        } else {
            failed(permit, start, failure);
        }
    }

    private void answered(Permit permit, long start, @Nullable Object result) {
        long nanos = nanosSince(permit, start);
        if (permit.settings().countsAsFailure(result, breaker.reports())) {
            permit.failed(nanos, null);
        } else {
            permit.succeeded(nanos);
        }
    }

    private void failed(Permit permit, long start, Throwable failure) {
        if (permit.settings().countsAsFailure(failure, breaker.faults())) {
            permit.failed(nanosSince(permit, start), failure);
        } else {
            permit.ignored();
        }
    }

    /** The start of a call, or 0 where its policy does not want to know how long it takes. */
    private long startNanos(Permit permit) {
        return permit.settings().timeCalls() ? breaker.time().nanoTime() : 0;
    }

    private long nanosSince(Permit permit, long start) {
        return permit.settings().timeCalls() ? breaker.time().nanoTime() - start : 0;
    }
}
