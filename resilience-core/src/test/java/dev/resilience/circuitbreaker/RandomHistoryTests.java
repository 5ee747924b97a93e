package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.concurrency.Effort;
import dev.resilience.concurrency.WithoutLog;
import dev.resilience.event.CircuitState;
import java.util.stream.LongStream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Long random histories of calls, clock steps, operators' actions and changes of the policy, against the {@link
 * ReferenceBreaker}: three of them, and ten with {@code -Plong}.
 */
@ExtendWith(WithoutLog.class)
class RandomHistoryTests {

    private static final int STEPS = 105_000;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Effort.of(3, 10));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void goesAsTheReferenceGoes(long seed) {
        RandomHistory history = new RandomHistory(seed);

        while (history.steps() < STEPS) {
            history.step();
        }

        assertNothingWasLeftOut(history);
    }

    private static void assertNothingWasLeftOut(RandomHistory history) {
        assertThat(history.seen())
                .containsKeys("CLOSED to OPEN", "OPEN to HALF_OPEN", "HALF_OPEN to OPEN", "HALF_OPEN to CLOSED")
                .containsKeys("rejected");
        for (Ending ending : Ending.values()) {
            assertThat(history.seen()).containsKey(ending.name());
        }
        for (CircuitState state : CircuitState.values()) {
            assertThat(history.seen())
                    .containsKey("reconfigured while " + state)
                    .containsKey("opened by hand while " + state)
                    .containsKey("half-opened by hand while " + state);
        }
        assertThat(history.seen().values()).allMatch(times -> times > 0);
    }
}
