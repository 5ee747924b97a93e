package dev.resilience.spring.idempotency.simulation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Futures that are done. */
final class Futures {

    private Futures() {}

    /** Its result; throws what it failed with. */
    static @Nullable Object get(CompletableFuture<@Nullable Object> done) throws Exception {
        try {
            return done.join();
        } catch (CompletionException failed) {
            Throwable cause = failed.getCause();
            if (cause instanceof Exception failure) {
                throw failure;
            }
            throw failed;
        }
    }
}
