package dev.resilience.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SimulationDeterminismTests {

    private static final int SEEDS = 100;

    @Test
    void theSameSeedRepeatsTheRun() {
        List<String> first = traces();

        assertThat(traces()).isEqualTo(first);
    }

    @Test
    void everySeedIsAnotherRun() {
        assertThat(traces()).doesNotHaveDuplicates();
    }

    private static List<String> traces() {
        return SilencedLogs.run(() -> LongStream.rangeClosed(1, SEEDS)
                .mapToObj(SimulationDeterminismTests::trace)
                .toList());
    }

    /** With the number of steps, which differs as soon as anything is chosen otherwise. */
    private static String trace(long seed) {
        SimulatedRun run = new SimulatedRun(seed, EnumSet.allOf(ScenarioFeature.class), PlantedDefect.NONE);
        run.run();
        return run.trace() + "\n" + run.steps() + " steps";
    }
}
