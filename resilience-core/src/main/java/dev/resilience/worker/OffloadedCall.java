package dev.resilience.worker;

import dev.resilience.context.CallContext;
import dev.resilience.context.ContextCarrier;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A blocking call whose body runs on a worker while its caller waits. The one compare-and-set of the future decides
 * between the body's end and a caller that is told to wait no longer.
 *
 * <p>A caller that is interrupted while it waits passes the interrupt on to the body and waits for what that makes of
 * it, as it would if the body ran on its own thread.
 */
public final class OffloadedCall implements StoppableTask {

    private final Step next;
    private final Invocation invocation;
    private final Runnable atEnd;
    private final CallContext context = CallContext.current();
    private final Runnable bodyInContext;
    private final CompletableFuture<@Nullable Ending> ending = new CompletableFuture<>();
    private @Nullable Ending ofBody; // the worker's
    private final DeferredExecution run = new DeferredExecution();
    private final boolean cameInterrupted = Thread.currentThread().isInterrupted();

    /**
     * Takes along what is current for this thread.
     *
     * @param atEnd run on the worker when the body has ended, and before the caller hears of it
     */
    public OffloadedCall(Step next, Invocation invocation, ContextCarrier carrier, Runnable atEnd) {
        this.next = next;
        this.invocation = invocation;
        this.atEnd = atEnd;
        this.bodyInContext = carrier.wrap(this::runBody);
        if (cameInterrupted) {
            stop();
        }
    }

    /**
     * How a body ended.
     *
     * @param failure {@code null} if it returned
     */
    public record Ending(@Nullable Object result, @Nullable Throwable failure) {

        /** Returns what the body returned or throws what it threw, the same instance. */
        public @Nullable Object get() throws Throwable {
            if (failure != null) {
                throw failure;
            }
            return result;
        }
    }

    /** Waits for the body on the caller's thread; returns {@code null} if the call is abandoned first. */
    public @Nullable Ending await() {
        boolean wasInterrupted = false;
        try {
            while (true) {
                try {
                    return ending.get();
                } catch (InterruptedException ofCaller) {
                    if (wasInterrupted || !cameInterrupted) { // the body knows of the one that it came with
                        stop();
                    }
                    wasInterrupted = true;
                } catch (ExecutionException impossible) {
                    throw new IllegalStateException(impossible);
                }
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Lets the caller go without the body, which does not begin any more; {@code false} if it has ended. */
    public boolean abandon() {
        return ending.complete(null);
    }

    /** Whether the caller was let go without the body. */
    public boolean isAbandoned() {
        return ending.isDone() && ending.join() == null;
    }

    /** Whether a worker has begun with the body. */
    public boolean hasBegun() {
        return run.hasBegun();
    }

    @Override
    public void stop() {
        if (isAbandoned()) {
            run.interruptAndEndCall();
        } else {
            run.interrupt();
        }
    }

    @Override
    public void run() {
        try {
            context.run(() -> run.carry(bodyInContext));
        } catch (Throwable notBegun) {
            ofBody = new Ending(null, notBegun);
        }
        try {
            atEnd.run();
        } finally {
            ending.complete(ofBody); // null if it did not begin, for the caller had gone
        }
    }

    private void runBody() {
        if (!run.begin()) {
            return;
        }
        try {
            if (!ending.isDone()) {
                ofBody = new Ending(next.call(invocation), null);
            }
        } catch (Throwable failure) {
            ofBody = new Ending(null, failure);
        } finally {
            run.end();
        }
    }
}
