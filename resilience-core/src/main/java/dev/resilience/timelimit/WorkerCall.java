package dev.resilience.timelimit;

import dev.resilience.pipeline.CallContext;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A blocking call whose body runs on a worker while its caller waits. The one compare-and-set of the future decides
 * between the body's end and the end of the time.
 *
 * <p>A caller that is interrupted while it waits passes the interrupt on to the body and waits for what that makes of
 * it, as it would if the body ran on its own thread, but never longer than its time limit.
 */
final class WorkerCall implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(WorkerCall.class);
    private static final Ending TIMED_OUT = new Ending(false, null, null);

    private final TimeLimit limit;
    private final Workers workers;
    private final Step next;
    private final Invocation invocation;
    private final Duration timeout;
    private final CallContext context = CallContext.current();
    private final Runnable bodyInContext;
    private final CompletableFuture<Ending> ending = new CompletableFuture<>();
    private @Nullable Ending ofBody; // the worker's
    private volatile @Nullable BodyRun run;
    private volatile boolean interrupted = Thread.currentThread().isInterrupted();

    WorkerCall(TimeLimit limit, Workers workers, Step next, Invocation invocation, Duration timeout) {
        this.limit = limit;
        this.workers = workers;
        this.next = next;
        this.invocation = invocation;
        this.timeout = timeout;
        this.bodyInContext = limit.carrier().wrap(this::runBody);
    }

    /** How the body ended, or that its time was over first. */
    private record Ending(
            boolean inTime,
            @Nullable Object result,
            @Nullable Throwable failure) {}

    @Nullable
    Object call() throws Throwable {
        Ending end;
        Scheduled timer = limit.time().scheduleUrgent(timeout, this::timedOut);
        try {
            workers.execute(this);
            end = await();
        } finally {
            timer.cancel();
        }
        if (!end.inTime()) {
            throw run == null ? limit.noWorker(timeout) : limit.exceeded(timeout, null);
        }
        limit.inTime();
        if (end.failure() != null) {
            throw end.failure();
        }
        return end.result();
    }

    private Ending await() {
        boolean wasInterrupted = false;
        try {
            while (true) {
                try {
                    return ending.get();
                } catch (InterruptedException ofCaller) {
                    wasInterrupted = true;
                    passInterruptOn();
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

    private void passInterruptOn() {
        interrupted = true;
        BodyRun body = run;
        if (body != null) {
            body.interrupt();
        }
    }

    private void timedOut() {
        if (!ending.complete(TIMED_OUT) || workers.withdraw(this)) {
            return;
        }
        BodyRun body = run;
        if (body != null) { // otherwise it will see that it need not begin
            body.interrupt();
        }
    }

    @Override
    public void run() {
        try {
            context.run(bodyInContext);
        } catch (Throwable broken) {
            if (ofBody == null) {
                ofBody = new Ending(true, null, broken);
            } else {
                log.warn("What a call took along to its worker could not be taken back", broken);
            }
        }
        ending.complete(ofBody != null ? ofBody : TIMED_OUT);
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
                ofBody = new Ending(true, next.call(invocation), null);
            }
        } catch (Throwable failure) {
            ofBody = new Ending(true, null, failure);
        } finally {
            body.end();
        }
    }
}
