package dev.resilience.pipeline;

import dev.resilience.log.LogLine;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the library does with stages that are not its own. */
final class Stages {

    private static final Logger log = LoggerFactory.getLogger(LinkedFuture.class);
    private static final LogLine CANCELLATION_FAILED = LogLine.warn("cancellation_failed");

    private Stages() {}

    /**
     * As {@code whenComplete}, which would wrap the failure into an exception of its own, stack trace and all, for a
     * stage that is not read.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // not the action is waited for, only what it completes
    static <T extends @Nullable Object> void whenEnded(
            CompletionStage<T> stage, BiConsumer<? super T, @Nullable Throwable> action) {
        stage.handle((result, failure) -> {
            action.accept(result, failure);
            return true;
        });
    }

    /** Cancels a stage if it can be cancelled; never throws. */
    static void cancel(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (UnsupportedOperationException cannotBeCancelled) {
            // the stage's own choice: its result is ignored
        } catch (Throwable broken) { // the same for a stage that would rather throw, a checked one too
            CANCELLATION_FAILED
                    .in(log)
                    .setCause(broken)
                    .log("A {} could not be cancelled", stage.getClass().getName());
        }
    }

    /** The failure that a stage passed on, without the wrappers that stages put around it. */
    static Throwable unwrap(Throwable failure) {
        Throwable unwrapped = failure;
        while (unwrapped instanceof CompletionException && unwrapped.getCause() != null) {
            unwrapped = unwrapped.getCause();
        }
        return unwrapped;
    }
}
