package dev.resilience.hedge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a hedge does to the tail and to the backend; docs/hedge.md shows the rows. */
class HedgeSimulationTests {

    private static final Duration WARM_UP = Duration.ofMinutes(1);
    private static final Duration LENGTH = Duration.ofMinutes(10);

    private static HedgeSimulation simulate(double perSecond, double stalls, double maxExtraLoad) {
        return new HedgeSimulation(perSecond, stalls, maxExtraLoad)
                .run(WARM_UP)
                .fromNowOn()
                .run(LENGTH);
    }

    @Test
    void theTailFallsAndTheExtraLoadIsWhatIsAllowed() throws IOException {
        String rows = check("200 calls/s, 0.5% stall", 200, 0.005, 0.01, 0.999)
                + check("200 calls/s, 3% stall", 200, 0.03, 0.05, 0.99)
                + check("2 calls/s, 3% stall", 2, 0.03, 0.05, 0.99);
        System.out.print(rows);

        assertThat(Files.readString(Path.of("../docs/hedge.md"))).contains(rows);
    }

    private static String check(String name, double perSecond, double stalls, double maxExtraLoad, double quantile) {
        HedgeSimulation without = simulate(perSecond, stalls, 0);
        HedgeSimulation hedged = simulate(perSecond, stalls, maxExtraLoad);
        System.out.println("refused " + hedged.refused() + ", cancelled " + hedged.cancelled + ", above its share "
                + hedged.mostAboveShare(maxExtraLoad));

        assertThat(hedged.millis(quantile)).isLessThan(without.millis(quantile) / 5);
        assertThat(hedged.extraLoad()).isLessThan(maxExtraLoad * 1.05 + 10.0 / hedged.ends.size());
        assertThat(hedged.mostAboveShare(maxExtraLoad)).isLessThanOrEqualTo(11);
        assertThat(hedged.cancelled).isGreaterThan(hedged.secondAttempts.size() * 9 / 10);
        return without.row(name) + "\n" + hedged.row("the same, `max-extra-load: " + maxExtraLoad + "`") + "\n";
    }

    @Test
    void aBackendThatSlowsDownAsAWholeGetsNoStorm() {
        HedgeSimulation simulation =
                new HedgeSimulation(200, 0.005, 0.01).run(WARM_UP).fromNowOn();
        simulation.slowness = 20;
        simulation.run(LENGTH);
        System.out.println(
                "slow: " + simulation.row("") + simulation.refused() + " above " + simulation.mostAboveShare(0.01));

        assertThat(simulation.mostAboveShare(0.01)).isLessThanOrEqualTo(11);
        assertThat(simulation.delayMillis()).as("the new latency").isGreaterThan(600);

        simulation.slowness = 1;
        simulation.run(Duration.ofMinutes(5));
        assertThat((double) simulation.delayMillis()).isCloseTo(42, within(6.0));
    }

    /** Otherwise the limit would sink to where the calls are that are not hedged, and every stall would want a second attempt. */
    @Test
    void losersAreMeasuredAtWhatTheyTookAtLeast() {
        HedgeSimulation simulation = simulate(200, 0.06, 0.05);
        System.out.println("6% stall: " + simulation.row("") + simulation.refused());

        assertThat(simulation.delayMillis()).as("above what calls usually take").isGreaterThan(200);
        assertThat(simulation.extraLoad()).isLessThan(0.0525);
    }
}
