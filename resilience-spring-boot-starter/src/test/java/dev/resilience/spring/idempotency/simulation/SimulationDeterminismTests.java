package dev.resilience.spring.idempotency.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SimulationDeterminismTests {

    private static final int SEEDS = 100;

    @Test
    void theSameSeedRepeatsTheRunAndEverySeedIsAnotherOne() {
        List<String> first = traces();

        assertThat(traces()).isEqualTo(first);
        assertThat(first).doesNotHaveDuplicates();
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
