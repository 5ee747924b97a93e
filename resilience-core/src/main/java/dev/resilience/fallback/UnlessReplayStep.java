package dev.resilience.fallback;

import dev.resilience.context.Attempt;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Goes around a fallback where a call is made again whose caller has gone. */
final class UnlessReplayStep extends Step {

    private final Step fallback;
    private final Step next;

    UnlessReplayStep(Step fallback, Step next) {
        this.fallback = fallback;
        this.next = next;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        return step().call(invocation);
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        return step().callAsync(invocation);
    }

    private Step step() {
        Attempt attempt = Attempt.current();
        return attempt != null && attempt.isReplay() ? next : fallback;
    }
}
