package dev.resilience.spring.idempotency.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * The promises of idempotency, under hundreds of seeds. A failure prints its seed, what was broken and all that happened.
 * To repeat it: {@code -Dtest=IdempotencySimulationTests -Dsimulation.seed=4711}; under {@code -Plong} there are a hundred
 * thousand.
 */
class IdempotencySimulationTests {

    /** Within as many each planted defect is found four times. */
    static final int SEEDS = 400;

    private static final int MANY_SEEDS = 100_000;
    private static final int MOST_REPORTS = 3;

    @Test
    void everyPromiseHoldsUnderEverySeed() {
        List<String> reports = SilencedLogs.run(() -> failures(EnumSet.allOf(ScenarioFeature.class)));

        assertThat(reports).isEmpty();
    }

    private static List<String> failures(Set<ScenarioFeature> features) {
        List<String> reports = new ArrayList<>();
        for (long seed : seeds().toArray()) {
            SimulatedRun run = new SimulatedRun(seed, features, PlantedDefect.NONE);
            if (!run.run().isEmpty()) {
                reports.add(run.report());
            }
            if (reports.size() == MOST_REPORTS) {
                break;
            }
        }
        return reports;
    }

    private static LongStream seeds() {
        Long one = Long.getLong("simulation.seed");
        int many = "long".equals(System.getProperty("stress")) ? MANY_SEEDS : SEEDS;
        return one == null ? LongStream.rangeClosed(1, many) : LongStream.of(one);
    }
}
