package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CallWindow.CountWindow;
import dev.resilience.circuitbreaker.CallWindow.Thresholds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class CountWindowTests {

    /** So low that one failure or one slow call among the last million is enough. */
    private static final Thresholds ANY_TROUBLE = new Thresholds(1, 1e-7, 1e-7);

    @Test
    void holdsTheLastCallsAndNoOthers() {
        CountWindow window = new CountWindow(3, new Thresholds(1, 1, 0));
        window.record(true, false);
        window.record(true, false);
        assertThat(window.failureRate()).isEqualTo(1);

        window.record(false, false);
        assertThat(window.failureRate()).isEqualTo(2 / 3.0);
        window.record(false, false);
        assertThat(window.failureRate()).isEqualTo(1 / 3.0);
        window.record(false, false);
        assertThat(window.failureRate()).isZero();
    }

    @Test
    void mayHoldOneCall() {
        CountWindow window = new CountWindow(1, new Thresholds(1, 1, 0));

        assertThat(window.record(true, false)).isNotNull();
        assertThat(window.record(false, false)).isNull();
        assertThat(window.record(true, false)).isNotNull();
    }

    @Test
    void mayHoldAMillionCallsThatAllFailSlowly() {
        CountWindow window = new CountWindow(CountWindow.LARGEST, new Thresholds(CountWindow.LARGEST, 1, 1));
        for (int i = 1; i < CountWindow.LARGEST; i++) {
            assertThat(window.record(true, true)).isNull();
        }

        assertThat(window.record(true, true)).isNotNull();
        assertThat(window.record(true, true)).isNotNull();
        assertThat(window.failureRate()).isEqualTo(1);

        assertThat(window.record(false, true)).as("all calls are slow still").isNotNull();
        assertThat(window.record(false, false)).isNull();
    }

    @Test
    void addsUpToWhatItHoldsAfterConcurrentWrites() throws Exception {
        int size = 7;
        CountWindow window = new CountWindow(size, ANY_TROUBLE);

        inParallel(4, (number, random) -> {
            int reached = 0;
            for (int i = 0; i < 100_000; i++) {
                reached += window.record(random.nextBoolean(), random.nextBoolean()) != null ? 1 : 0;
            }
            return reached;
        });

        // what is left of them goes one by one, and nothing stays behind
        for (int i = 1; i < size; i++) {
            window.record(false, false);
        }
        assertThat(window.record(false, false)).isNull();
        assertThat(window.failureRate()).isZero();
        // and no more is missing than was there
        for (int i = 0; i < size; i++) {
            window.record(true, true);
        }
        assertThat(window.failureRate()).isEqualTo(1);
    }

    @Test
    void neverCountsMoreFailuresThanCallsAndThreads() throws Exception {
        int size = 4;
        int threads = 8;
        double impossible = (size + threads) / (double) size + 0.01;
        for (int round = 0; round < 6; round++) {
            CountWindow window = new CountWindow(size, new Thresholds(1, impossible, 0));
            for (int i = 0; i < size; i++) {
                window.record(false, false);
            }

            List<Integer> reached = inParallel(threads, (number, random) -> {
                int times = 0;
                for (int i = 0; i < 1_000_000; i++) {
                    times += window.record(number == 0, false) != null ? 1 : 0;
                }
                return times;
            });

            assertThat(reached).containsOnly(0);
        }
    }

    private interface Writer {

        /** Writes, and tells how often it saw what it looks for. */
        int write(int number, Random random);
    }

    private static List<Integer> inParallel(int threads, Writer writer) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Callable<Integer>> writers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int number = i;
                writers.add(() -> {
                    start.await();
                    return writer.write(number, new Random(number));
                });
            }
            List<Integer> results = new ArrayList<>();
            for (Future<Integer> done : pool.invokeAll(writers)) {
                results.add(done.get());
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }
}
