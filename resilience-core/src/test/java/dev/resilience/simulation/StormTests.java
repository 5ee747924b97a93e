package dev.resilience.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.resilience.concurrency.Effort;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Three services in a chain before a backend that is down for a minute, at a thousand calls a second. The storms of those
 * who do without the defaults take long to simulate: they belong to {@code -Plong}.
 */
class StormTests {

    @Nested
    class ASingleCall {

        @Test
        void isMultipliedByEachOfThreeServicesThatTryThreeTimes() {
            assertThat(Storm.callsOfOne(Scenario.NAIVE)).isEqualTo(3 * 3 * 3);
        }

        @Test
        void isRetriedByOneServiceOnEachPathWhereNestedRetriesAreSuppressed() {
            assertThat(Storm.callsOfOne(Scenario.SUPPRESS)).isEqualTo((3 + 1 + 1) + 1 + 1);
        }

        @Test
        void isRetriedByTheLastServiceAloneByDefault() {
            assertThat(Storm.callsOfOne(Scenario.DEFAULTS)).isEqualTo(3);
        }

        @Test
        void isRetriedByTheLastServiceAloneWhereRefusalsTravel() {
            assertThat(Storm.callsOfOne(Scenario.DEFAULTS_PASSING_503)).isEqualTo(3);
        }

        /** A budget is for crowds: ten retries a second are always allowed. */
        @Test
        void isMultipliedInSpiteOfBudgetsWhereEveryFailureLooksTransient() {
            assertThat(Storm.callsOfOne(Scenario.BUDGETS)).isEqualTo(27);
            assertThat(Storm.callsOfOne(Scenario.WITHOUT_REFUSALS)).isEqualTo(27);
        }
    }

    /** All within a second, so that the last service's budget allows 200 retries: a tenth of them, and 100. */
    @Nested
    class AThousandCalls {

        @Test
        void areFewerThanTwelveHundredAtTheBackendWhereRefusalsTravel() {
            assertThat(Storm.callsOf(1_000, Scenario.DEFAULTS_PASSING_503)).isEqualTo(1_199);
        }

        @Test
        void areAlmostSixteenHundredWithoutTheHeader() {
            assertThat(Storm.callsOf(1_000, Scenario.WITHOUT_REFUSALS)).isEqualTo(1_597);
        }
    }

    @Nested
    class TheLoadOnTheDeadBackend {

        @Test
        @Tag("long")
        void isTwentySevenfoldWithNaiveRetries() {
            assertThat(Storm.ofOneMinute(Scenario.NAIVE).callsPerCallAtTheEnd()).isCloseTo(27, withinPercentage(2));
        }

        @Test
        @Tag("long")
        void isSevenfoldWhereNestedRetriesAreSuppressed() {
            assertThat(Storm.ofOneMinute(Scenario.SUPPRESS).callsPerCallAtTheEnd())
                    .isCloseTo(7, withinPercentage(2));
        }

        /**
         * Each of three services repeats a tenth of the thousand first attempts and ten a second more; a little less at the
         * beginning, for a first attempt pays when it has ended.
         */
        @Test
        void growsByElevenPercentOfTheCallsAtEachServiceThatHasABudget() {
            for (Scenario scenario : new Scenario[] {Scenario.BUDGETS, Scenario.WITHOUT_REFUSALS}) {
                StormResult result = Storm.ofOneMinute(scenario);

                assertThat(result.callsPerCall()).as(scenario.title()).isCloseTo(1.33, within(0.03));
                assertThat(result.callsPerCallAtTheEnd()).as(scenario.title()).isCloseTo(1.33, within(0.02));
            }
        }

        @Test
        void isHardlyThereWithBreakers() {
            assertThat(Storm.ofOneMinute(Scenario.BREAKERS).callsPerCall()).isLessThan(0.15);
            assertThat(Storm.ofOneMinute(Scenario.DEFAULTS_AND_BREAKERS).callsPerCall())
                    .isLessThan(0.02);
        }

        @Test
        void isAtMostFifteenPercentMoreThanTheCallsByDefaultWhateverStatusIsPassedOn() {
            for (Scenario scenario : new Scenario[] {Scenario.DEFAULTS, Scenario.DEFAULTS_PASSING_503}) {
                StormResult result = Storm.ofOneMinute(scenario);

                assertThat(result.callsPerCall()).as(scenario.title()).isBetween(1.0, 1.15);
                assertThat(result.callsPerCallAtTheEnd()).as(scenario.title()).isBetween(1.0, 1.15);
            }
        }
    }

    @Nested
    class TheRecovery {

        @Test
        void isAtOnceByDefaultAndLeavesNoRetryAfterTwoSeconds() {
            StormResult defaults = Storm.ofOneMinute(Scenario.DEFAULTS);

            assertThat(defaults.recovery()).isLessThanOrEqualTo(2);
            assertThat(defaults.lastRetry()).isLessThanOrEqualTo(2);
            assertThat(defaults.successInSecond(59)).isLessThan(0.1);
            assertThat(defaults.successInSecond(60)).isEqualTo(1);
        }

        /** What the naive retries hold back while the backend is down comes down on it when it is up again. */
        @Test
        @Tag("long")
        void waitsForTheStormToPassWithNaiveRetries() {
            assertThat(Storm.ofOneMinute(Scenario.NAIVE).recovery()).isGreaterThan(20);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theDefaultsDoNotDependOnTheMomentsAtWhichUsersCall(long seed) {
        StormResult defaults = Storm.run(Scenario.DEFAULTS, Timetable.ONE_MINUTE, seed);

        assertThat(defaults.callsPerCall()).isBetween(1.0, 1.15);
        assertThat(defaults.recovery()).isLessThanOrEqualTo(2);
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Effort.of(1, 5));
    }

    @Test
    void nothingFailsAndNothingIsRetriedWithoutAnOutage() {
        for (Scenario scenario : Scenario.ALL) {
            StormResult quiet = Storm.run(scenario, Timetable.WITHOUT_OUTAGE, 7);

            assertThat(quiet.lastRetry()).as(scenario.title()).isZero();
            assertThat(quiet.recovery()).as(scenario.title()).isZero();
        }
    }
}
