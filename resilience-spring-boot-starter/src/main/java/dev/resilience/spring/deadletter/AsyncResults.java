package dev.resilience.spring.deadletter;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/** What asynchronous methods return. */
final class AsyncResults {

    /** As long as a letter is held by its replay. */
    private static final int MOST_MINUTES = 10;

    private AsyncResults() {}

    /** Whether a method returns a stream, of which nothing tells when it has done its work. */
    static boolean isStream(Method method) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType());
        return adapter != null && adapter.isMultiValue();
    }

    /** Waits until a call has ended: subscribes to a publisher, on this thread. Returns the call's result. */
    static @Nullable Object await(@Nullable Object returned, Method method) throws Throwable {
        if (returned instanceof CompletionStage<?> stage) {
            return await(stage.toCompletableFuture());
        }
        ReactiveAdapterRegistry reactive = ReactiveAdapterRegistry.getSharedInstance();
        ReactiveAdapter publishers = reactive.getAdapter(method.getReturnType());
        ReactiveAdapter futures = reactive.getAdapter(CompletableFuture.class);
        if (returned != null && publishers != null && futures != null) {
            return await((CompletableFuture<?>) futures.fromPublisher(publishers.toPublisher(returned)));
        }
        return returned;
    }

    private static @Nullable Object await(CompletableFuture<?> future) throws Throwable {
        try {
            return future.get(MOST_MINUTES, TimeUnit.MINUTES);
        } catch (ExecutionException failed) {
            throw failed.getCause() == null ? failed : failed.getCause();
        } catch (TimeoutException tooLong) {
            future.cancel(true);
            throw new IllegalStateException("The call did not end within " + MOST_MINUTES + " minutes", tooLong);
        } catch (InterruptedException interrupted) {
            future.cancel(true);
            throw interrupted;
        }
    }
}
