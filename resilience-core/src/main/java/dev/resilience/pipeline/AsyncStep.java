package dev.resilience.pipeline;

import dev.resilience.context.ContextCarrier;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A step that says what it does before and after the rest of an asynchronous call, so that steps in a row work for one
 * {@link AsyncCall}. The library's steps are such ones; an application's {@link Step} returns futures, and what is inside
 * it is an {@code AsyncCall} of its own.
 */
public abstract class AsyncStep extends Step {

    /** How a call goes on. */
    public enum Next {
        /** To the next inner step: this one is entered, and will be asked how to {@link AsyncStep#exit}. */
        INWARD,
        /** To the next outer step, with the result or the failure that the call has. */
        OUTWARD,
        /** By the same method of the same step, once more. */
        AGAIN,
        /** On the thread that ends a wait, which may do so already: the call is not to be touched any more. */
        LATER
    }

    /** The rest of the pipeline. */
    protected final Step next;

    /** The steps that work for one call, this one first, and what is inside the last of them. */
    final AsyncStep[] segment;

    final Step inside;

    /** The innermost step, which is in no segment. */
    AsyncStep() {
        this.next = this;
        this.segment = new AsyncStep[0];
        this.inside = this;
    }

    protected AsyncStep(Step next) {
        this(next, next.carrier);
    }

    /** @param further takes along what the pipeline's own carrier may not know of */
    protected AsyncStep(Step next, ContextCarrier further) {
        this.next = next;
        this.carrier = further == next.carrier ? further : next.carrier.and(further);
        AsyncStep inner = next instanceof AsyncStep step && !step.beginsCall() ? step : null;
        AsyncStep[] others = inner == null ? new AsyncStep[0] : inner.segment;
        this.segment = new AsyncStep[others.length + 1];
        segment[0] = this;
        System.arraycopy(others, 0, segment, 1, others.length);
        this.inside = inner == null ? next : inner.inside;
    }

    /** Whether it must be the outermost of its segment, because it ends the call before its time. */
    protected boolean beginsCall() {
        return false;
    }

    /** Before the rest of the call. What it throws is the call's failure for the steps outside. Does nothing by default. */
    protected Next enter(AsyncCall call) throws Throwable {
        return Next.INWARD;
    }

    /**
     * After the rest of the call, if it was {@linkplain Next#INWARD entered}. What it throws takes the place of the call's
     * result. Does nothing by default.
     */
    protected Next exit(AsyncCall call) throws Throwable {
        return Next.OUTWARD;
    }

    /** A blocking call that enters this step, goes on on another thread while its caller waits, and exits there. */
    protected final @Nullable Object callElsewhere(Invocation invocation) throws Throwable {
        return new OffloadedCall(this, invocation).await();
    }

    /**
     * Begins a call that enters this step and holds something already.
     *
     * @param blocking whether what is inside is called as a blocking call, once the step has moved the call to another thread
     */
    protected final CompletableFuture<@Nullable Object> startHolding(
            Invocation invocation, Object held, boolean blocking) {
        AsyncCall call =
                blocking ? new OffloadedCall(this, invocation) : new AsyncCall(this, invocation, segment.length);
        call.hold(held);
        return call.start();
    }

    @Override
    public final CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        return new AsyncCall(this, invocation, segment.length).start();
    }
}
