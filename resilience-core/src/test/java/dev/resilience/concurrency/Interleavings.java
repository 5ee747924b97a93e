package dev.resilience.concurrency;

import java.util.Locale;
import java.util.function.Consumer;
import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.StressOptions;

/**
 * The two ways to try what threads do to each other. Few interleavings in an ordinary build, many with {@code
 * -Dstress=long}, which the Maven profile {@code long} sets.
 */
public enum Interleavings {

    /** One thread at a time, switched at chosen accesses to shared memory: finds what is seldom, and can be repeated. */
    MODEL_CHECKED {
        @Override
        Options<?, ?> options() {
            return new ModelCheckingOptions()
                    .loopIterationsBeforeThreadSwitch(30) // the loop over the slots of a window is no wait for a lock
                    .loopBound(1_000) // the JDK's locks spin
                    .iterations(Effort.of(4, 48))
                    .invocationsPerIteration(40);
        }

        @Override
        void explore(int times, Consumer<Threads> program) {
            Lincheck.runConcurrentTest(200 * times, () -> program.accept(Threads.NEW));
        }
    },

    /** Real threads at full speed. */
    STRESSED {
        @Override
        Options<?, ?> options() {
            return new StressOptions().iterations(Effort.of(3, 40)).invocationsPerIteration(60);
        }

        @Override
        void explore(int times, Consumer<Threads> program) {
            try (StandingThreads threads = new StandingThreads()) {
                for (int i = 0; i < 2_000 * times; i++) {
                    program.accept(threads);
                }
            }
        }
    };

    private static final int TIMES = Effort.of(1, 8);

    /** Whether this run is to try threads in this way: both ways, unless {@code -Dinterleavings} names one. */
    boolean isWanted() {
        String wanted = System.getProperty("interleavings");
        return wanted == null || this == valueOf(wanted.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    abstract Options<?, ?> options();

    /** Runs a small program again and again, each time with another interleaving of its threads; it throws if it fails. */
    public void explore(Consumer<Threads> program) {
        explore(TIMES, program);
    }

    abstract void explore(int times, Consumer<Threads> program);

    /**
     * Runs random operations on random threads and looks for an order of them, one after the other, in which the
     * specification gives the same results.
     *
     * @param specification has the same operations, and no idea of threads
     */
    public void linearizable(Class<?> operations, Class<?> specification) {
        options()
                .threads(Effort.of(2, 3))
                .actorsBefore(1)
                .actorsPerThread(3)
                .actorsAfter(1)
                .sequentialSpecification(specification)
                .check(operations);
    }
}
