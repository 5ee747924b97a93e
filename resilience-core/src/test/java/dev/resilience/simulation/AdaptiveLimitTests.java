package dev.resilience.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.simulation.LimitReport.Callee;
import dev.resilience.simulation.LimitScenario.Service;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An adaptive bulkhead before a callee whose capacity changes, against fixed limits of 10, 50 and 200 and Gradient2. */
class AdaptiveLimitTests {

    private static final int QUEUE = 50;

    /** Against the fixed limit that the long test finds to be the best one in each phase. */
    @Test
    void isAsGoodAsTheBestFixedLimitInEachPhaseOfADay() {
        LimitScenario day = LimitScenario.day(Service.EXPONENTIAL, QUEUE, 60);

        List<LimitResult> results = LimitSimulation.run(LimitRule.ADAPTIVE, day, 1);

        List<LimitResult> fixed = LimitSimulation.run(LimitRule.FIXED_50, day, 1);
        for (int phase = 0; phase < results.size(); phase++) {
            assertIsAsGoodAs(fixed.get(phase), results.get(phase), 1);
        }
    }

    @Test
    void staysWhereItIsInTenMinutesOfOverload() {
        LimitResult result = overload(LimitRule.ADAPTIVE, 1);

        assertThat(result.meanLimit(540, 600)).isBetween(36.0, 50.0);
        assertThat(result.meanLimit(540, 600))
                .isBetween(result.meanLimit(120, 180) - 4, result.meanLimit(120, 180) + 4);
    }

    @Test
    void isNotRaisedByCallsThatDoNotReachIt() {
        LimitScenario quiet = LimitScenario.steady(0.1, 40, 0.05, Service.EXPONENTIAL, 0, 60);

        LimitResult result = LimitSimulation.run(LimitRule.ADAPTIVE, quiet, 1).get(0);

        assertThat(result.refused()).isZero();
        assertThat(result.maxLimit()).isLessThanOrEqualTo(21);
    }

    @ParameterizedTest
    @EnumSource(Service.class)
    @Tag("long")
    void isAsGoodAsTheBestFixedLimitWhateverCallsTake(Service service) {
        for (int queue : new int[] {0, QUEUE}) {
            double slower = service == Service.CONSTANT ? (queue > 0 ? 1.15 : 1.5) : (queue > 0 ? 1 : 1.05);
            LimitScenario day = LimitScenario.day(service, queue, 120);
            for (long seed : new long[] {1, 2, 3}) {
                List<List<LimitResult>> fixed = Stream.of(LimitRule.values())
                        .filter(LimitRule::isFixed)
                        .map(rule -> LimitSimulation.run(rule, day, seed))
                        .toList();
                List<LimitResult> results = LimitSimulation.run(LimitRule.ADAPTIVE, day, seed);
                for (int phase = 0; phase < results.size(); phase++) {
                    assertIsAsGoodAs(best(fixed, phase), results.get(phase), slower);
                }
            }
        }
    }

    @Test
    @Tag("long")
    void staysWhereGradient2Drifts() {
        for (long seed = 1; seed <= 3; seed++) {
            LimitResult drifting = overload(LimitRule.GRADIENT2, seed);
            LimitResult staying = overload(LimitRule.ADAPTIVE, seed);

            assertThat(drifting.meanLimit(540, 600)).isGreaterThan(80);
            assertThat(staying.meanLimit(540, 600)).isBetween(36.0, 50.0);
        }
    }

    @ParameterizedTest
    @EnumSource(Callee.class)
    @Tag("long")
    void findsTheCapacityOfAnyCallee(Callee callee) {
        double capacity = LimitScenario.capacity(callee.servers, callee.seconds);
        for (long seed = 1; seed <= 3; seed++) {
            LimitResult overloaded = callee.run(1.1, seed);
            LimitResult quiet = callee.run(0.6, seed);

            assertThat(overloaded.served()).as("seed " + seed).isGreaterThan(0.88 * capacity);
            assertThat(overloaded.settledLimit())
                    .as("limit of seed " + seed)
                    .isBetween(callee.servers / 2.0, 2.0 * Math.max(2, callee.servers));
            assertThat(quiet.refused()).as("refused of seed " + seed).isZero();
        }
    }

    private static LimitResult overload(LimitRule rule, long seed) {
        LimitScenario scenario = LimitScenario.steady(1.1, 40, 0.05, Service.EXPONENTIAL, QUEUE, 600);
        return LimitSimulation.run(rule, scenario, seed).get(0);
    }

    /** Of those that serve as many as any, within a hundredth, the fastest. */
    private static LimitResult best(List<List<LimitResult>> fixed, int phase) {
        List<LimitResult> all = fixed.stream().map(rule -> rule.get(phase)).toList();
        double most = all.stream().mapToDouble(LimitResult::served).max().orElseThrow();
        return all.stream()
                .filter(result -> result.served() >= 0.99 * most)
                .min(Comparator.comparingDouble(LimitResult::p99Millis))
                .orElseThrow();
    }

    private static void assertIsAsGoodAs(LimitResult best, LimitResult result, double slower) {
        LimitPhase phase = result.phase();
        if (phase.hangs()) {
            assertThat(result.settledLimit()).as(phase.title()).isLessThan(2);
            return;
        }
        assertThat(result.served()).as(phase + ": served").isGreaterThan(0.9 * best.served());
        assertThat(result.p99Millis()).as(phase + ": p99").isLessThanOrEqualTo(slower * best.p99Millis());
        assertThat(result.settledLimit()).as(phase + ": limit").isBetween(phase.servers() / 2.0, 2.0 * phase.servers());
    }
}
