package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.RandomHistory.Model;
import dev.resilience.concurrency.Seeds;
import dev.resilience.concurrency.WithoutLog;
import dev.resilience.event.CircuitState;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories of calls, clock steps, operators' actions and changes of the policy, against the {@link
 * ReferenceBreaker}. The words in which a breaker tells of its state are no part of it.
 */
@ExtendWith(WithoutLog.class)
class RandomHistoryTests {

    private static final int STEPS = 250;

    @Test
    void theBreakerGoesAsTheReferenceGoes() {
        Map<String, Integer> seen = new TreeMap<>();

        Seeds.check(seed ->
                run(new RandomHistory(seed)).seen().forEach((what, times) -> seen.merge(what, times, Integer::sum)));

        if (Long.getLong("simulation.seed") == null) {
            assertNothingWasLeftOut(seen);
        }
    }

    private static RandomHistory run(RandomHistory history) {
        while (history.steps() < STEPS) {
            history.step();
        }
        return history;
    }

    private static void assertNothingWasLeftOut(Map<String, Integer> seen) {
        assertThat(seen)
                .containsKeys("CLOSED to OPEN", "OPEN to HALF_OPEN", "HALF_OPEN to OPEN", "HALF_OPEN to CLOSED")
                .containsKey("rejected");
        for (Ending ending : Ending.values()) {
            assertThat(seen).containsKey(ending.name());
        }
        for (CircuitState state : CircuitState.values()) {
            assertThat(seen)
                    .containsKey("reconfigured while " + state)
                    .containsKey("opened by hand while " + state)
                    .containsKey("half-opened by hand while " + state)
                    .containsKey("set to metrics-only by hand while " + state);
        }
    }

    /** Each of them is a breaker with one problem; if the histories did not notice it, they would prove nothing. */
    enum Defect {
        A_LATE_PROBE_COUNTS((policy, now) -> new ReferenceBreaker(policy, now) {
            @Override
            boolean isLate(Call call, long time) {
                return false;
            }
        }),
        THE_RAMP_LETS_ALL_IN((policy, now) -> new ReferenceBreaker(policy, now) {
            @Override
            boolean isLetInByRamp(long time) {
                return true;
            }
        }),
        A_CALL_OF_EXACTLY_THE_LIMIT_IS_SLOW((policy, now) -> new ReferenceBreaker(policy, now) {
            @Override
            boolean isSlow(Call call, long time) {
                return super.isSlow(call, time + 1);
            }
        }),
        OPEN_PERIODS_DO_NOT_GROW((policy, now) -> new ReferenceBreaker(policy, now) {
            @Override
            long openNanosLeft(long time) {
                int before = failedProbings;
                failedProbings = 0;
                long left = super.openNanosLeft(time);
                failedProbings = before;
                return left;
            }
        }),
        A_SLOW_PROBE_IS_A_SUCCESS((policy, now) -> new ReferenceBreaker(policy, now) {
            @Override
            boolean isSlowProbeAFailure() {
                return false;
            }
        }),
        EVERY_NEW_POLICY_BEGINS_WITH_AN_EMPTY_WINDOW((policy, now) -> new ReferenceBreaker(policy, now) {
            @Override
            boolean isWindowKept(CircuitBreakerPolicy other) {
                return false;
            }
        }),
        EVERY_NEW_POLICY_KEEPS_THE_WINDOW((policy, now) -> new ReferenceBreaker(policy, now) {
            @Override
            boolean isWindowKept(CircuitBreakerPolicy other) {
                return true;
            }
        }),
        THE_LAST_SECOND_IS_NOT_LOOKED_AT((policy, now) -> new ReferenceBreaker(policy, now) {
            @Override
            boolean isStreak(ReferenceWindow window, long time) {
                return true;
            }
        });

        @SuppressWarnings("ImmutableEnumChecker") // a constructor
        final Model model;

        Defect(Model model) {
            this.model = model;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBreakerWithAProblemIsFound(Defect defect) {
        assertThat(Seeds.find(seed -> run(new RandomHistory(seed, defect.model))))
                .isTrue();
    }
}
