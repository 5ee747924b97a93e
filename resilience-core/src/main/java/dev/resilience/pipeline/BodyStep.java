package dev.resilience.pipeline;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The innermost step: the method itself. */
final class BodyStep extends Step {

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        return invocation.proceed();
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        return LinkedFuture.of(invocation);
    }
}
