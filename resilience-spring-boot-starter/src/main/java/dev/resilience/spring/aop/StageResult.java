package dev.resilience.spring.aop;

import dev.resilience.pipeline.LinkedFuture;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** What a stage holds when it has ended, for threads that wait for it. */
final class StageResult {

    private StageResult() {}

    /**
     * Waits for a stage.
     *
     * @throws InterruptedException if the thread is interrupted; then the stage is cancelled
     * @throws Throwable the stage's failure, without the wrappers that stages put around it
     */
    static @Nullable Object await(@Nullable Object returned) throws Throwable {
        if (!(returned instanceof CompletionStage<?> stage)) {
            throw new NullPointerException(
                    "An asynchronous method returned " + returned + " in place of a CompletionStage");
        }
        CompletableFuture<?> future = stage.toCompletableFuture();
        try {
            return future.get();
        } catch (InterruptedException interrupted) {
            future.cancel(true);
            throw interrupted;
        } catch (ExecutionException failed) {
            Throwable failure = failed.getCause();
            throw failure == null ? failed : LinkedFuture.unwrap(failure);
        }
    }
}
