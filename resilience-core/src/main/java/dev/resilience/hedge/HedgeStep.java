package dev.resilience.hedge;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.event.HedgeOutcome;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.AsyncStep;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs the rest of the pipeline, and a second time beside that if it is slow.
 *
 * <p>A blocking call runs on its caller's thread, as if it were not hedged, and its second attempt on a thread of the policy. When
 * that answers first, the caller's thread is interrupted, and the caller gets the answer as soon as the body lets go. So it is
 * with what an asynchronous method does before it returns.
 *
 * <p>A second attempt is a call of its own that enters this step and holds the {@link HedgedCall}: it waits here until it is due.
 */
final class HedgeStep extends AsyncStep {

    private final Hedge hedge;

    HedgeStep(Hedge hedge, Step next) {
        super(next);
        this.hedge = hedge;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        HedgedCall call = new HedgedCall(hedge, invocation);
        try {
            call.ended(HedgeOutcome.FIRST_WON, first(call, invocation, true), null);
        } catch (Throwable failure) {
            call.ended(failure instanceof InterruptedException ? null : HedgeOutcome.FIRST_WON, null, failure);
        }
        return call.await();
    }

    /** What the first attempt returns on its caller's thread, beside which the second waits until it is due. */
    private @Nullable Object first(HedgedCall hedged, Invocation invocation, boolean blocking) throws Throwable {
        @Nullable Object[] slots = CallContext.ofThread();
        Attempt outer = (Attempt) slots[CallContext.ATTEMPT];
        slots[CallContext.ATTEMPT] = Attempt.of(hedge.inWords, 1, outer).ofHedge(1);
        hedged.body.begin();
        try {
            if (hedged.delayNanos != Latencies.NEVER) {
                hedged.second = startHolding(invocation, hedged, blocking);
            }
            return blocking ? next.call(invocation) : next.callAsync(invocation);
        } finally {
            hedged.body.end();
            slots[CallContext.ATTEMPT] = outer;
        }
    }

    @Override
    protected Next enter(AsyncCall call) throws Throwable {
        if (call.held() instanceof HedgedCall ofSecond) {
            return enterSecond(call, ofSecond);
        }
        HedgedCall hedged = new HedgedCall(hedge, call.invocation());
        Object first = Objects.requireNonNull(first(hedged, call.invocation(), false));
        hedged.firstReturned((CompletableFuture<?>) first);
        return call.await(hedged);
    }

    /** Once more after the wait, or if that was stopped. */
    private Next enterSecond(AsyncCall call, HedgedCall hedged) throws Throwable {
        if (!call.hasLeft()) {
            return hedge.waits.pause(call, Duration.ofNanos(hedged.delayNanos));
        }
        if (call.failure() != null || hedge.waits.isStopped() || !hedged.secondBegins()) {
            return Next.OUTWARD;
        }
        hedged.endsWith(HedgeOutcome.SECOND_WON, call);
        hedge.waits.add(call);
        call.attempt(Objects.requireNonNull(call.attempt()).again(2).ofHedge(2));
        return Next.INWARD;
    }

    /** Of a second attempt. */
    @Override
    protected Next exit(AsyncCall call) {
        hedge.waits.remove(call);
        return Next.OUTWARD;
    }
}
