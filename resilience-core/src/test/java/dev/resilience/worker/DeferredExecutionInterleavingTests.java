package dev.resilience.worker;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** An interrupt of a body that may not have begun reaches it once, or nothing. */
class DeferredExecutionInterleavingTests {

    @Interleaved(alwaysModelChecked = true)
    void anInterruptReachesTheBodyOnceAndNothingAfterIt(Interleavings mode) {
        mode.explore(threads -> {
            DeferredExecution run = new DeferredExecution();
            AtomicInteger noticed = new AtomicInteger();
            AtomicBoolean left = new AtomicBoolean();

            threads.run(
                    () -> {
                        run.begin();
                        for (int i = 0; i < 3; i++) {
                            noticed.addAndGet(Thread.interrupted() ? 1 : 0);
                        }
                        run.end();
                        left.set(Thread.interrupted());
                    },
                    run::interrupt);

            if (noticed.get() > 1 || left.get()) {
                throw new AssertionError("Noticed " + noticed + " times, and afterwards: " + left);
            }
        });
    }

    @Interleaved
    void anInterruptThatCameInTimeIsNotLost(Interleavings mode) {
        mode.explore(threads -> {
            DeferredExecution run = new DeferredExecution();
            AtomicBoolean sent = new AtomicBoolean();
            AtomicBoolean lost = new AtomicBoolean();

            threads.run(
                    () -> {
                        run.begin();
                        lost.set(sent.get() && !Thread.currentThread().isInterrupted());
                        run.end();
                    },
                    () -> {
                        run.interrupt();
                        sent.set(true);
                    });

            if (lost.get()) {
                throw new AssertionError("The interrupt did not reach the body");
            }
        });
    }
}
