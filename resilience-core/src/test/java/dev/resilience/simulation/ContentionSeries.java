package dev.resilience.simulation;

import dev.resilience.concurrency.Effort;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Runs of a contention: a hundred, as in Brooker's article, with {@code -Plong}, and thirty in an ordinary build.
 *
 * @param writes until all clients had written
 * @param millis until all clients had written
 */
record ContentionSeries(Sample writes, Sample millis) {

    static final int RUNS = Effort.of(30, 100);

    private record Key(Strategy strategy, int clients) {}

    private static final Map<Key, ContentionSeries> DONE = new HashMap<>();

    static synchronized ContentionSeries of(Strategy strategy, int clients) {
        return DONE.computeIfAbsent(
                new Key(strategy, clients), wanted -> SilencedLogs.run(() -> simulate(strategy, clients)));
    }

    private static ContentionSeries simulate(Strategy strategy, int clients) {
        Random random = new Random(2_015);
        List<Double> writes = new ArrayList<>();
        List<Double> millis = new ArrayList<>();
        for (int run = 0; run < RUNS; run++) {
            Contention.Outcome outcome = Contention.run(strategy, clients, random);
            writes.add((double) outcome.writes());
            millis.add(outcome.millis());
        }
        return new ContentionSeries(Sample.of(writes), Sample.of(millis));
    }
}
