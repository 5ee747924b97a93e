package dev.resilience.pipeline;

import dev.resilience.context.Deadline;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The innermost step: the method itself, as long as there is time for it. */
final class BodyStep extends Step {

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        Deadline.check();
        return invocation.proceed();
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        return LinkedFuture.of(() -> {
            Deadline.check();
            return invocation.proceed();
        });
    }
}
