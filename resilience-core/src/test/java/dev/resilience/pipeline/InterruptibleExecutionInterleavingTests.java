package dev.resilience.pipeline;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** An interrupt reaches the body or nothing; that of a body around it stays. */
class InterruptibleExecutionInterleavingTests {

    @Interleaved(alwaysModelChecked = true)
    void anInterruptReachesTheBodyAndNothingAfterIt(Interleavings mode) {
        mode.explore(threads -> {
            AtomicReference<InterruptibleExecution> run = new AtomicReference<>();
            AtomicBoolean one = new AtomicBoolean();
            AtomicBoolean other = new AtomicBoolean();
            Failures failures = new Failures();

            threads.run(
                    () -> {
                        InterruptibleExecution body = new InterruptibleExecution();
                        body.begin();
                        run.set(body);
                        boolean mustBeSet = one.get() && other.get(); // either may leave it to the other
                        failures.check(!mustBeSet || isInterrupted(), "The interrupt did not reach the body");
                        boolean undisturbed = body.end();
                        failures.check(!mustBeSet || !undisturbed, "The end does not know of the interrupt");
                        failures.check(!Thread.interrupted(), "An interrupt was left");
                    },
                    () -> interrupt(run, one),
                    () -> interrupt(run, other));

            failures.none();
        });
    }

    @Interleaved
    void theEndOfABodyInsideLeavesTheInterruptToTheOneAround(Interleavings mode) {
        mode.explore(threads -> {
            AtomicReference<InterruptibleExecution> around = new AtomicReference<>();
            AtomicReference<InterruptibleExecution> inside = new AtomicReference<>();
            AtomicBoolean interrupted = new AtomicBoolean();
            Failures failures = new Failures();

            threads.run(
                    () -> {
                        InterruptibleExecution outer = begin(around);
                        begin(inside).end();
                        boolean mustBeSet = interrupted.get();
                        failures.check(!mustBeSet || isInterrupted(), "The body around lost its interrupt");
                        outer.end();
                        Thread.interrupted();
                    },
                    () -> interrupt(around, interrupted),
                    () -> interrupt(inside, new AtomicBoolean()));

            failures.none();
        });
    }

    @Interleaved
    void anInterruptOfTheBodyAroundEndsWithIt(Interleavings mode) {
        mode.explore(threads -> {
            AtomicReference<InterruptibleExecution> around = new AtomicReference<>();
            Failures failures = new Failures();

            threads.run(
                    () -> {
                        InterruptibleExecution outer = begin(around);
                        begin(new AtomicReference<>()).end();
                        outer.end();
                        failures.check(!Thread.interrupted(), "An interrupt was left");
                    },
                    () -> interrupt(around, new AtomicBoolean()));

            failures.none();
        });
    }

    @Interleaved
    void interruptsOfBothBodiesEndWithThem(Interleavings mode) {
        mode.explore(threads -> {
            AtomicReference<InterruptibleExecution> around = new AtomicReference<>();
            Failures failures = new Failures();

            threads.run(
                    () -> {
                        InterruptibleExecution outer = begin(around);
                        InterruptibleExecution inner = begin(new AtomicReference<>());
                        inner.interrupt(); // by whom does not matter, only that it is on its way out
                        inner.end();
                        outer.end();
                        failures.check(!Thread.interrupted(), "An interrupt was left");
                    },
                    () -> interrupt(around, new AtomicBoolean()));

            failures.none();
        });
    }

    private static InterruptibleExecution begin(AtomicReference<InterruptibleExecution> run) {
        InterruptibleExecution body = new InterruptibleExecution();
        body.begin();
        run.set(body);
        return body;
    }

    private static boolean isInterrupted() {
        return Thread.currentThread().isInterrupted();
    }

    private static void interrupt(AtomicReference<InterruptibleExecution> run, AtomicBoolean done) {
        InterruptibleExecution body = run.get();
        if (body != null) {
            body.interrupt();
            done.set(true);
        }
    }

    /** What a thread found, for the one that waits for it. */
    private static final class Failures {

        private final AtomicReference<String> first = new AtomicReference<>();

        void check(boolean right, String otherwise) {
            if (!right) {
                first.compareAndSet(null, otherwise);
            }
        }

        void none() {
            if (first.get() != null) {
                throw new AssertionError(first.get());
            }
        }
    }
}
