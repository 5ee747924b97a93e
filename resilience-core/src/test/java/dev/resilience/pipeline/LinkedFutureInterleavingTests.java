package dev.resilience.pipeline;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Who cancels a future cancels what it waits for, whatever else happens at that moment. */
class LinkedFutureInterleavingTests {

    @Interleaved(alwaysModelChecked = true)
    void aCancellationReachesWhatBeginsMeanwhile(Interleavings mode) {
        mode.explore(threads -> {
            LinkedFuture answer = new LinkedFuture();
            CompletableFuture<Object> source = new CompletableFuture<>();

            threads.run(() -> answer.await(source, answer::finish), () -> answer.cancel(true));

            if (!answer.isCancelled() || !source.isCancelled()) {
                throw new AssertionError("What the future waits for goes on");
            }
        });
    }

    @Interleaved
    void hasOneEnd(Interleavings mode) {
        mode.explore(threads -> {
            LinkedFuture answer = new LinkedFuture();
            CompletableFuture<Object> source = new CompletableFuture<>();
            AtomicInteger ends = new AtomicInteger();

            threads.run(
                    () -> answer.await(source, (result, failure) -> {
                        ends.incrementAndGet();
                        answer.finish(result, failure);
                    }),
                    () -> source.complete("ok"),
                    () -> answer.cancel(true));

            if (ends.get() != 1 || !source.isDone()) {
                throw new AssertionError("Told " + ends + " times of the end");
            }
            if (!answer.isCancelled() && !"ok".equals(answer.getNow(null))) {
                throw new AssertionError("Neither cancelled nor answered");
            }
        });
    }
}
