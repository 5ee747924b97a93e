package dev.resilience.worker;

import dev.resilience.concurrency.Interleavings;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An interrupt of a body that may not have begun reaches it once, or nothing. */
class LaterRunInterleavingTests {

    @ParameterizedTest
    @EnumSource
    void anInterruptReachesTheBodyOnceAndNothingAfterIt(Interleavings mode) {
        mode.explore(threads -> {
            LaterRun run = new LaterRun();
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

    @ParameterizedTest
    @EnumSource
    void anInterruptThatCameInTimeIsNotLost(Interleavings mode) {
        mode.explore(threads -> {
            LaterRun run = new LaterRun();
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
