package dev.resilience.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a breaker opens depends on how many calls fail, and not on how many there are. */
class BreakerOpeningTests {

    /** Without a breaker it is 80%. */
    @Test
    void aCalleeThatFailsEachFifthTimeIsServedFromHoweverManyCallsThereAre() {
        assertThat(served(OpeningRules.DEFAULTS, 100)).isGreaterThan(0.75);
        assertThat(served(OpeningRules.DEFAULTS, 1_000)).isCloseTo(0.8, within(0.01));
        assertThat(served(OpeningRules.DEFAULTS, 10_000)).isCloseTo(0.8, within(0.01));
    }

    @Test
    void withFailuresInARowAloneTheMoreCallsTheFewerAreServed() {
        assertThat(served(OpeningRules.AT_ONCE, 10)).isCloseTo(0.72, within(0.03));
        assertThat(served(OpeningRules.AT_ONCE, 100)).isCloseTo(0.36, within(0.05));
        assertThat(served(OpeningRules.AT_ONCE, 1_000)).isCloseTo(0.06, within(0.02));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 1})
    void whereCallsAreRareItOpensAfterFiveAsEver(double callsPerSecond) {
        assertThat(Traffic.secondsToOpen(OpeningRules.DEFAULTS.policy(), callsPerSecond, 1))
                .isLessThan(1.2 * Traffic.secondsToOpen(OpeningRules.AT_ONCE.policy(), callsPerSecond, 1));
    }

    @ParameterizedTest
    @ValueSource(doubles = {10, 100, 1_000})
    void aCalleeThatDiesIsNoticedWithinASecond(double callsPerSecond) {
        assertThat(Traffic.secondsToOpen(OpeningRules.DEFAULTS.policy(), callsPerSecond, 1))
                .isLessThan(1);
    }

    @Test
    void aColdCalleeRecoversSoonerUnderARamp() {
        Fleet atOnce = Fleet.with(Duration.ZERO);
        Fleet ramp = Fleet.with(Duration.ofSeconds(20));

        assertThat(ramp.secondsToRecover()).isLessThan(atOnce.secondsToRecover());
        assertThat(ramp.lostAfterOutage()).isLessThan(atOnce.lostAfterOutage());
    }

    private static double served(OpeningRules rules, double callsPerSecond) {
        return Traffic.shareServed(rules.policy(), callsPerSecond, 0.2);
    }
}
