package dev.resilience.idempotency.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that contend for one key after the other, all at the same moment. For the contracts of this library's stores. */
public final class Race {

    private static final int THREADS = 4;

    private Race() {}

    /** One thread's try; the same for all threads. */
    @FunctionalInterface
    public interface Contender {

        boolean wins(String key);
    }

    /** Runs races for the keys "race 0", "race 1" and so on, and asserts that each has one winner. */
    public static void run(int races, Contender contender) throws Exception {
        List<AtomicInteger> winners = new ArrayList<>();
        for (int i = 0; i < races; i++) {
            winners.add(new AtomicInteger());
        }
        CyclicBarrier start = new CyclicBarrier(THREADS);
        Callable<Void> thread = () -> {
            for (int i = 0; i < races; i++) {
                start.await(1, TimeUnit.MINUTES);
                if (contender.wins("race " + i)) {
                    winners.get(i).incrementAndGet();
                }
            }
            return null;
        };
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            for (Future<Void> done : pool.invokeAll(Collections.nCopies(THREADS, thread))) {
                done.get();
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(winners).allSatisfy(winner -> assertThat(winner).hasValue(1));
    }
}
