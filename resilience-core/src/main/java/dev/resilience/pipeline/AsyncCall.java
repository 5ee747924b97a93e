package dev.resilience.pipeline;

import static dev.resilience.pipeline.AsyncStep.Next.AGAIN;
import static dev.resilience.pipeline.AsyncStep.Next.INWARD;
import static dev.resilience.pipeline.AsyncStep.Next.LATER;
import static dev.resilience.pipeline.AsyncStep.Next.OUTWARD;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.pipeline.AsyncStep.Next;
import dev.resilience.pipeline.AsyncWait.StageWait;
import dev.resilience.pipeline.AsyncWait.ThreadWait;
import dev.resilience.pipeline.Pipeline.BodyStep;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call: the future that the caller gets, and the call's way through the steps of its segment. It goes
 * inward until a step or the body has to be waited for, and outward with what that makes.
 *
 * <p>At most one thread drives a call. A call that waits has no thread: what it waits for is its {@link AsyncWait}, and the
 * thread that takes that out of {@code state}, by a compare-and-set, drives on. So of a stage that ends, a timer and a
 * cancellation one has the call, and the others change nothing. A body that runs where others can reach the call can be
 * interrupted; its thread keeps the call. A second decision is for the caller: the first who takes {@code end} out of
 * {@code OPEN} answers.
 *
 * <p>Every thread that drives has the call's context meanwhile, and what is the application's own also what was bound to
 * the caller's thread when the call left it. The caller's future ends when all that is put back, because what others do
 * then is not part of the call.
 *
 * <p>Not for applications. Safe for use by many threads.
 */
public class AsyncCall extends CallersFuture implements Runnable {

    static final AtomicReferenceFieldUpdater<AsyncCall, @Nullable Object> STATE =
            AtomicReferenceFieldUpdater.newUpdater(AsyncCall.class, Object.class, "state");

    private static final Object ENDED = new Object();

    // All but the last two are read and written by the thread that drives.

    /** Where the call runs and goes on after a wait; {@code null} for wherever the one who ends the wait says. */
    @Nullable
    Executor executor;

    private final AsyncStep first;
    private final Invocation invocation;
    private final @Nullable Object[] held; // by each step
    private @Nullable Deadline deadline;
    private @Nullable Attempt attempt;
    private @Nullable IdempotencyContext idempotency;
    private int running; // which step runs; the body is behind the last one
    private boolean isEntered; // and will exit, or exits now
    private boolean isReachable; // others may stop it
    private @Nullable Object result;
    private @Nullable Throwable failure;
    private @Nullable Runnable inCallersContext; // runs this
    private Next continuation = AGAIN;
    private @Nullable Thread continuing;
    private volatile boolean stopped;
    volatile @Nullable Object state; // what it waits for, or its body that runs, or ENDED

    /** @param steps how many steps of the segment the call has */
    AsyncCall(AsyncStep first, Invocation invocation, int steps) {
        this.first = first;
        this.invocation = invocation;
        this.held = new Object[steps];
        @Nullable Object[] slots = CallContext.ofThread();
        this.deadline = (Deadline) slots[CallContext.DEADLINE];
        this.attempt = (Attempt) slots[CallContext.ATTEMPT];
        this.idempotency = (IdempotencyContext) slots[CallContext.IDEMPOTENCY];
        this.observer = slots[CallContext.OBSERVER];
    }

    AsyncCall start() {
        drive(AGAIN);
        deliver();
        return this;
    }

    /** The call that is protected. */
    public Invocation invocation() {
        return invocation;
    }

    /**
     * Keeps something of the step whose {@code enter} or {@code exit} runs, until it exits: each step of the segment has a
     * slot of its own. It is empty when the step is entered.
     */
    public void hold(@Nullable Object ofStep) {
        held[running] = ofStep;
    }

    /** What the step whose {@code enter} or {@code exit} runs has kept. */
    public @Nullable Object held() {
        return held[running];
    }

    /** The attempt that the call is part of. */
    public @Nullable Attempt attempt() {
        return attempt;
    }

    /** Changes that for the rest of the way. */
    public void attempt(@Nullable Attempt changed) {
        attempt = changed;
        CallContext.ofThread()[CallContext.ATTEMPT] = changed;
    }

    /** The idempotent call that the call is part of. */
    public @Nullable IdempotencyContext idempotency() {
        return idempotency;
    }

    /** Changes that for the rest of the way. */
    public void idempotency(@Nullable IdempotencyContext changed) {
        idempotency = changed;
        IdempotencyContext.makeCurrent(changed);
    }

    /** What the rest of the call returned; {@code null} if it failed. */
    public @Nullable Object result() {
        return result;
    }

    /** What the rest of the call failed with; {@code null} if it returned. */
    public @Nullable Throwable failure() {
        return failure;
    }

    /** Changes how the rest of the call has ended. */
    public void end(@Nullable Object returned, @Nullable Throwable failed) {
        result = failed == null ? returned : null;
        failure = failed;
    }

    /** Whether the call has left its caller's thread, be it that it came back. */
    public boolean hasLeft() {
        return inCallersContext != null;
    }

    /** Drives the call in its context until it waits or has ended. */
    void drive(Next from) {
        @Nullable Object[] slots = CallContext.ofThread();
        Object deadlineBefore = slots[CallContext.DEADLINE];
        Object attemptBefore = slots[CallContext.ATTEMPT];
        Object idempotencyBefore = slots[CallContext.IDEMPOTENCY];
        Object observerBefore = slots[CallContext.OBSERVER];
        slots[CallContext.DEADLINE] = deadline;
        slots[CallContext.ATTEMPT] = attempt;
        slots[CallContext.IDEMPOTENCY] = idempotency;
        slots[CallContext.OBSERVER] = observer;
        try {
            Next next = from;
            while (next != LATER) {
                if (next == INWARD) {
                    running++;
                    if (isEntered) { // perhaps once more: what an earlier attempt has left is not this one's
                        Arrays.fill(held, running, held.length, null);
                        end(null, null);
                    }
                    isEntered = false;
                } else if (next == OUTWARD) {
                    running--;
                    isEntered = true;
                }
                next = step();
            }
        } finally {
            slots[CallContext.DEADLINE] = deadlineBefore;
            slots[CallContext.ATTEMPT] = attemptBefore;
            slots[CallContext.IDEMPOTENCY] = idempotencyBefore;
            slots[CallContext.OBSERVER] = observerBefore;
        }
    }

    private Next step() {
        if (running < 0) {
            state = ENDED;
            return LATER;
        }
        try {
            if (running == held.length) {
                return enterBody();
            }
            AsyncStep step = first.segment[running];
            return isEntered ? step.exit(this) : step.enter(this);
        } catch (Throwable failed) {
            end(null, unwrap(failed));
            return OUTWARD;
        }
    }

    Next enterBody() throws Throwable {
        return await(isReachable ? interruptibly() : begin());
    }

    final @Nullable Object interruptibly() throws Throwable {
        InterruptibleExecution execution = new InterruptibleExecution();
        execution.begin();
        state = execution;
        try {
            return begin();
        } finally {
            state = null;
            execution.end();
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it is awaited
    @Nullable
    Object begin() throws Throwable {
        if (stopped) {
            throw new Cancelled();
        }
        if (!(first.inside instanceof BodyStep)) {
            return first.inside.callAsync(invocation);
        }
        CallContext.methodBegins(invocation);
        try {
            return invocation.proceed();
        } catch (InterruptedException interrupted) {
            if (!hasLeft() && !isOver()) {
                Thread.currentThread().interrupt(); // it was meant for the caller's thread, which is this one
            }
            throw interrupted;
        }
    }

    /**
     * Waits for a stage, whose end is that of the rest of the call. It is cancelled if the call is.
     *
     * @param stage what a method has returned that should return a stage
     */
    @SuppressWarnings("FutureReturnValueIgnored") // of a future that has ended
    public Next await(@Nullable Object stage) throws Throwable {
        if (stage instanceof CompletableFuture<?> future
                && (future.getClass() == CompletableFuture.class || future instanceof AsyncCall)
                && future.isDone()) {
            if (future.isCompletedExceptionally()) {
                future.handle((nothing, failed) -> {
                    end(null, unwrap(failed));
                    return nothing;
                });
            } else {
                end(future.join(), null);
            }
            return whenEnded();
        }
        if (stage instanceof CompletionStage<?> pending) {
            return waitFor(new StageWait(this, pending));
        }
        throw new NullPointerException("An asynchronous method returned " + stage + " in place of a CompletionStage");
    }

    /** Where it goes on with what a wait has ended in. */
    Next whenEnded() {
        return isEntered ? AGAIN : OUTWARD;
    }

    /**
     * Goes on inward on a thread of the executor, and there again after waits. The step is entered: it will exit whatever
     * becomes of that.
     */
    public Next continueOn(Executor threads) {
        isEntered = true;
        executor = threads;
        return goOn(threads, INWARD);
    }

    /** Goes on on a thread of the executor, or not at all if it has none. */
    public Next goOn(Executor threads, Next next) {
        try {
            return waitFor(new ThreadWait(this, threads, next));
        } catch (Throwable noThread) {
            end(null, noThread);
            return AGAIN;
        }
    }

    /** Waits for something that has not begun yet. Another thread may have the call when this returns {@code LATER}. */
    public Next waitFor(AsyncWait pending) throws Throwable {
        if (inCallersContext == null) {
            inCallersContext = first.carrier.wrap(this);
        }
        isReachable = true;
        state = pending;
        Next ended = pending.begin();
        return ended == LATER && stopped && pending.stop() ? cancelled(pending) : ended;
    }

    /** What waited was stopped, and this thread has the call. */
    private Next cancelled(AsyncWait pending) {
        stopped = false;
        end(null, new Cancelled());
        return pending.whenStopped();
    }

    /** This thread has the call: goes on with it in the context of the caller. */
    void resume(Next next) {
        continuation = next;
        continuing = Thread.currentThread();
        Throwable broken = null;
        try {
            Objects.requireNonNull(inCallersContext).run();
        } catch (Throwable ofCarrier) { // behind the call it is nobody's failure
            broken = ofCarrier;
        }
        if (continuing == Thread.currentThread()) {
            continuing = null;
            Throwable failed = broken == null ? notRun() : broken;
            // no step may do anything of the application's
            giveUp(failed, () -> {
                end(null, failed);
                drive(continuation == INWARD ? AGAIN : continuation);
            });
        }
        deliver();
    }

    /** For the carrier, which may run it twice. */
    @Override
    public void run() {
        if (continuing == Thread.currentThread()) {
            continuing = null;
            drive(continuation);
        }
    }

    void deliver() {
        if (state == ENDED) {
            answer(result, failure);
        }
    }

    /** For the outermost step: from now on others may {@linkplain #timeOut end} the call. */
    public void mayTimeOut() {
        isReachable = true;
    }

    /** Whether the caller waits for the call. */
    public boolean isBlocking() {
        return false;
    }

    /** Whether the call waits for a thread to run on. */
    public boolean waitsForThread() {
        return state instanceof ThreadWait;
    }

    @Override
    public void stop() {
        stopped = true;
        Object now = state;
        if (now instanceof InterruptibleExecution body) {
            body.interrupt();
        } else if (now instanceof AsyncWait pending && pending.stop()) {
            drive(cancelled(pending));
            deliver();
        }
    }
}
