package dev.resilience.pipeline;

import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** The ways to call a pipeline. What holds for one must hold for all: tests of behaviour run in each of them. */
public enum CallStyle {
    /** The body runs on the caller's thread and throws. */
    SYNC,
    /** The body returns a future, failed where it would have thrown. */
    ASYNC,
    /** The body returns a future where it succeeds, and throws in place of returning one where it does not. */
    ASYNC_THROWING;

    private static final Duration STEP = Duration.ofSeconds(1);
    private static final int MOST_STEPS = 100_000;

    public boolean isAsync() {
        return this != SYNC;
    }

    /**
     * Calls the pipeline and waits for the end, letting time pass as needed, in whole seconds.
     *
     * @param body returns a plain value or throws
     * @throws Throwable what the caller sees: thrown, or the failure of the future
     */
    public @Nullable Object call(Pipeline pipeline, ManualTimeSource time, Invocation body) throws Throwable {
        if (this == SYNC) {
            return pipeline.invoke(body);
        }
        CompletableFuture<@Nullable Object> answer = pipeline.invokeAsync(() -> start(body));
        for (int steps = 0; !answer.isDone(); steps++) {
            if (steps == MOST_STEPS) {
                throw new AssertionError("The call does not end: " + answer);
            }
            time.advance(STEP);
        }
        try {
            return answer.get();
        } catch (ExecutionException failed) {
            throw failed.getCause();
        }
    }

    private CompletableFuture<@Nullable Object> start(Invocation body) throws Throwable {
        try {
            return CompletableFuture.completedFuture(body.proceed());
        } catch (Throwable failure) {
            if (this == ASYNC_THROWING) {
                throw failure;
            }
            return CompletableFuture.failedFuture(failure);
        }
    }
}
