package dev.resilience.pipeline;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.concurrency.StubTime;
import dev.resilience.concurrency.WithoutLog;
import dev.resilience.event.TimeLimitOutcome;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whatever ends a call, and whatever else does so at that moment, it has one end, and nothing of it is left. */
@ExtendWith(WithoutLog.class)
class AsyncCallInterleavingTests {

    @Interleaved(alwaysModelChecked = true)
    void aStageOrACancellationEndsTheCallAndNeverBoth(Interleavings mode) {
        mode.explore(threads -> {
            Bulkhead bulkhead = new Bulkhead("orders", BulkheadPolicy.defaults(), Environment.of(new StubTime()));
            CompletableFuture<Object> stage = new CompletableFuture<>();
            CompletableFuture<Object> answer = pipeline(bulkhead).callAsync(() -> stage);

            threads.run(() -> stage.complete("ok"), () -> answer.cancel(true));

            check(answer.isCancelled() || "ok".equals(answer.getNow(null)), "The call has another end");
            check(stage.isDone(), "What the call waits for goes on");
            check(bulkhead.running() == 0, "The permit is lost, or released twice");
        });
    }

    @Interleaved(alwaysModelChecked = true)
    void aWaitGoesOnOrIsCancelledAndLeavesNoTimer(Interleavings mode) {
        mode.explore(threads -> {
            StubTime time = new StubTime();
            AtomicInteger ends = new AtomicInteger();
            Waits waits = new Waits("orders-", time, null);
            CompletableFuture<Object> answer = pipeline(next -> new PausingStep(waits, ends, next))
                    .callAsync(() -> CompletableFuture.completedFuture("ok"));

            threads.run(time::timerGoesOff, () -> answer.cancel(true));

            check(answer.isCancelled() || "ok".equals(answer.getNow(null)), "The call has no end, or another one");
            check(ends.get() == 1, "The wait ended " + ends + " times");
            check(!time.hasTimer(), "A timer is left");
        });
    }

    /** Pauses before it lets a call's result out. */
    private static final class PausingStep extends AsyncStep {

        private final Waits waits;
        private final AtomicInteger ends;

        PausingStep(Waits waits, AtomicInteger ends, Step next) {
            super(next);
            this.waits = waits;
            this.ends = ends;
        }

        @Override
        public @Nullable Object call(Invocation invocation) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected Next enter(AsyncCall call) {
            return Next.INWARD;
        }

        @Override
        protected Next exit(AsyncCall call) throws Throwable {
            if (call.held() == null) {
                call.hold("waits");
                return waits.pause(call, Duration.ofSeconds(1));
            }
            ends.incrementAndGet();
            return Next.OUTWARD;
        }
    }

    @Interleaved
    void itsTimeOrItsStageEndsTheCallAndNeverBoth(Interleavings mode) {
        mode.explore(threads -> {
            StubTime time = new StubTime();
            TimeLimit limit = new TimeLimit("orders", TimeLimitPolicy.defaults(), Environment.of(time));
            CompletableFuture<Object> stage = new CompletableFuture<>();
            CompletableFuture<Object> answer = pipeline(limit).callAsync(() -> stage);

            threads.run(time::timerGoesOff, () -> stage.complete("ok"), () -> answer.cancel(true));

            boolean inTime = limit.calls().get(TimeLimitOutcome.IN_TIME) == 1;
            check(answer.isDone() && stage.isDone(), "The call goes on");
            check(
                    limit.calls().total() == 1,
                    "The call is counted " + limit.calls().total() + " times");
            check(inTime || answer.isCompletedExceptionally(), "A call that is over has a result");
        });
    }

    private static Pipeline pipeline(Layer layer) {
        return Pipeline.of(List.of(layer), task -> task);
    }

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }
}
