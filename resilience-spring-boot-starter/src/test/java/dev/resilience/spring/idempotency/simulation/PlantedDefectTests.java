package dev.resilience.spring.idempotency.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation finds what is wrong: each problem, made on purpose, within the seeds that every build runs. */
class PlantedDefectTests {

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void eachIsFound(PlantedDefect defect) {
        List<Long> seeds = SilencedLogs.run(() -> LongStream.rangeClosed(1, IdempotencySimulationTests.SEEDS)
                .filter(seed -> isFound(seed, defect))
                .limit(1)
                .boxed()
                .toList());

        assertThat(seeds).hasSize(1);
    }

    private static boolean isFound(long seed, PlantedDefect defect) {
        return !new SimulatedRun(seed, EnumSet.allOf(ScenarioFeature.class), defect)
                .run()
                .isEmpty();
    }
}
