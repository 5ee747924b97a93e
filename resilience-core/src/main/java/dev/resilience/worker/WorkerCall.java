package dev.resilience.worker;

import dev.resilience.pipeline.CallContext;
import dev.resilience.pipeline.ContextCarrier;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A blocking call whose body runs on a worker while its caller waits. The one compare-and-set of the future decides
 * between the body's end and a caller that is told to wait no longer.
 *
 * <p>A caller that is interrupted while it waits passes the interrupt on to the body and waits for what that makes of
 * it, as it would if the body ran on its own thread.
 */
public final class WorkerCall implements Job {

    private static final Logger log = LoggerFactory.getLogger(WorkerCall.class);

    private final Step next;
    private final Invocation invocation;
    private final Runnable atEnd;
    private final CallContext context = CallContext.current();
    private final Runnable bodyInContext;
    private final CompletableFuture<@Nullable Ending> ending = new CompletableFuture<>();
    private @Nullable Ending ofBody; // the worker's
    private volatile @Nullable BodyRun run;
    private volatile boolean interrupted = Thread.currentThread().isInterrupted();

    /**
     * Takes along what is current for this thread.
     *
     * @param atEnd run on the worker when the body has ended, and before the caller hears of it
     */
    public WorkerCall(Step next, Invocation invocation, ContextCarrier carrier, Runnable atEnd) {
        this.next = next;
        this.invocation = invocation;
        this.atEnd = atEnd;
        this.bodyInContext = carrier.wrap(this::runBody);
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
                    wasInterrupted = true;
                    interrupted = true;
                    interrupt();
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

    /** Whether a worker has begun with the body. */
    public boolean hasBegun() {
        return run != null;
    }

    @Override
    public void interrupt() {
        BodyRun body = run;
        if (body != null) {
            body.interrupt();
        }
    }

    @Override
    public void run() {
        try {
            context.run(bodyInContext);
        } catch (Throwable broken) {
            if (ofBody == null) {
                ofBody = new Ending(null, broken);
            } else {
                log.warn("What a call took along to its worker could not be taken back", broken);
            }
        }
        try {
            atEnd.run();
        } finally {
            ending.complete(ofBody); // null if it did not begin, for the caller had gone
        }
    }

    private void runBody() {
        BodyRun body = new BodyRun();
        body.begin();
        run = body;
        try {
            if (interrupted) {
                body.interrupt();
            }
            if (!ending.isDone()) {
                ofBody = new Ending(next.call(invocation), null);
            }
        } catch (Throwable failure) {
            ofBody = new Ending(null, failure);
        } finally {
            body.end();
        }
    }
}
