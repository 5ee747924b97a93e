package dev.resilience.spring.aop;

import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.spring.idempotency.AssembledCalls;
import dev.resilience.spring.reactor.ProtectedPublishers;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * What a call of one protected method does, resolved once.
 *
 * @param pipeline the layers around the method
 * @param operation what the calls of an idempotent method are known by; {@code null} for any other
 * @param asynchronous whether the method returns a stage or a publisher
 * @param publishers makes the publisher that callers get; {@code null} if the method returns none
 * @param repeats whether the method may be run more than once in a call
 * @param innermost whether an invocation can proceed more than once
 * @param executors whether a call was moved to an executor, whose thread waits for the stage anyway
 */
record MethodPlan(
        Pipeline pipeline,
        @Nullable IdempotentOperation operation,
        boolean asynchronous,
        @Nullable ProtectedPublishers publishers,
        boolean repeats,
        AdviceChainPosition innermost,
        AsyncExecutors executors) {

    MethodPlan(
            Pipeline pipeline,
            @Nullable IdempotentOperation operation,
            boolean asynchronous,
            @Nullable ProtectedPublishers publishers,
            boolean repeats) {
        this(pipeline, operation, asynchronous, publishers, repeats, new AdviceChainPosition(), new AsyncExecutors());
    }

    @Nullable
    Object run(MethodInvocation invocation) throws Throwable {
        if (publishers != null) { // each subscription is a call of the method, and comes when the chain has returned
            boolean clonesEachTime = !innermost.isAt(invocation);
            Object seen = operation instanceof AssembledCalls assembled ? assembled.seenAtAssembly() : null;
            return publishers.assemble(pipeline, call -> new MethodCall(invocation, this, clonesEachTime, call, seen));
        }
        boolean clones = repeats && !innermost.isAt(invocation);
        if (!asynchronous) {
            return pipeline.invoke(new MethodCall(invocation, this, clones, false));
        }
        boolean waits = executors.areOutside(invocation);
        MethodCall call = new MethodCall(invocation, this, clones, waits);
        return waits ? runBlocking(call) : pipeline.invokeAsync(call);
    }

    private CompletableFuture<@Nullable Object> runBlocking(MethodCall call) {
        try {
            return CompletableFuture.completedFuture(pipeline.invoke(call));
        } catch (Throwable failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }
}
