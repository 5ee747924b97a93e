package dev.resilience.hedge;

import static dev.resilience.hedge.Latencies.NEVER;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.event.HedgeOutcome;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.AsyncStep;
import dev.resilience.pipeline.InterruptibleExecution;
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
        @Nullable Object[] slots = CallContext.ofThread();
        Attempt outer = (Attempt) slots[CallContext.ATTEMPT];
        InterruptibleExecution body = new InterruptibleExecution();
        Object result = null;
        Throwable failure = null;
        body.begin();
        slots[CallContext.ATTEMPT] = Attempt.of(hedge.inWords, 1, outer).ofHedge(1);
        try {
            call.begun(body::interrupt, call.delayNanos != NEVER ? startHolding(invocation, call, true) : null);
            result = next.call(invocation);
        } catch (Throwable thrown) {
            failure = thrown;
        } finally {
            slots[CallContext.ATTEMPT] = outer;
            body.end();
        }
        call.ended(failure instanceof InterruptedException ? null : HedgeOutcome.FIRST_WON, result, failure);
        return call.await();
    }

    @Override
    protected Next enter(AsyncCall call) throws Throwable {
        if (call.held() instanceof HedgedCall ofSecond) {
            return enterSecond(call, ofSecond);
        }
        HedgedCall hedged = new HedgedCall(hedge, call.invocation());
        Attempt outer = call.attempt();
        call.attempt(Attempt.of(hedge.inWords, 1, outer).ofHedge(1));
        boolean mayHaveTwo = hedged.delayNanos != NEVER;
        InterruptibleExecution body = new InterruptibleExecution();
        body.begin();
        CompletableFuture<@Nullable Object> first;
        try {
            hedged.begun(body::interrupt, mayHaveTwo ? startHolding(call.invocation(), hedged, false) : null);
            first = next.callAsync(call.invocation());
        } finally {
            body.end();
            call.attempt(outer);
        }
        hedged.firstIsStoppedBy(() -> first.complete(null));
        hedged.endsWith(HedgeOutcome.FIRST_WON, first);
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
