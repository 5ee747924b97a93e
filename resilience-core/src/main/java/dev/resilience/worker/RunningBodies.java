package dev.resilience.worker;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The bodies of asynchronous calls that have left their callers' threads, each from its beginning to the end of its stage:
 * the end of the application waits for them, and stops those that take too long. Safe for use by many threads.
 */
public final class RunningBodies {

    private final Set<AsyncBody> running = ConcurrentHashMap.newKeySet();

    /** Notes a body that is about to begin. */
    public void add(AsyncBody body) {
        running.add(body);
    }

    /** The body's stage has ended. */
    public void remove(AsyncBody body) {
        running.remove(body);
    }

    /**
     * Runs a body here, to its own end: it is not cancelled with its caller's future.
     *
     * @param then told how it ended; only when it has returned, nothing of the call runs any more
     */
    public void runToTheEnd(
            LinkedFuture answer,
            Step next,
            Invocation invocation,
            BiConsumer<@Nullable Object, @Nullable Throwable> then) {
        AsyncBody body = new AsyncBody();
        running.add(body);
        answer.awaitToTheEnd(new Stoppable(body, next), invocation, (result, failure) -> {
            try {
                then.accept(result, failure);
            } finally {
                running.remove(body);
            }
        });
    }

    /** Whether any body runs, or its stage goes on without a thread. */
    public boolean any() {
        return !running.isEmpty();
    }

    /**
     * Interrupts the bodies, and cancels the stages that they have returned; does not wait for their ends.
     *
     * @param elsewhere runs what the application does when its stages are cancelled, which may take long
     */
    public void stop(Executor elsewhere) {
        running.forEach(body -> body.stop(elsewhere));
    }

    private static final class Stoppable extends Step {

        private final AsyncBody body;
        private final Step next;

        Stoppable(AsyncBody body, Step next) {
            this.body = body;
            this.next = next;
        }

        @Override
        public @Nullable Object call(Invocation invocation) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
            return body.begin()
                    ? body.run(next, invocation)
                    : CompletableFuture.failedFuture(
                            new CancellationException("The call was stopped before its method began"));
        }
    }
}
