package dev.resilience.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A hundred runs of a contention, as in Brooker's article.
 *
 * @param writes until all clients had written
 * @param millis until all clients had written
 */
record ContentionSeries(Sample writes, Sample millis) {

    static final int RUNS = 100;

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
