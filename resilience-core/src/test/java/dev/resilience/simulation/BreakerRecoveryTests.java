package dev.resilience.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.DoubleSummaryStatistics;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** When a chain of breakers lets calls through again depends on when the outage ends. */
class BreakerRecoveryTests {

    static final Scenario[] WITH_BREAKERS = {Scenario.BREAKERS, Scenario.DEFAULTS_AND_BREAKERS};

    @ParameterizedTest
    @FieldSource("WITH_BREAKERS")
    void everyOutageEndsWithinADoubledOpenPeriodAndThreeRoundsOfRetries(Scenario scenario) {
        DoubleSummaryStatistics recovery = BreakerPhases.summary(scenario, StormResult::recovery);

        assertThat(recovery.getMax()).isLessThan(60 + 3 * 2 + 1);
        assertThat(recovery.getMin()).as("a lucky moment").isLessThan(25);
        assertThat(recovery.getMax()).as("an unlucky moment").isGreaterThan(45);
    }

    @ParameterizedTest
    @FieldSource("WITH_BREAKERS")
    void theDeadBackendIsSparedWheneverTheOutageEnds(Scenario scenario) {
        assertThat(BreakerPhases.summary(scenario, StormResult::callsPerCall).getMax())
                .isLessThan(0.15);
    }
}
