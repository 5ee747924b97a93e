package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.IN_PROGRESS;
import static dev.resilience.event.IdempotencyOutcome.LEASE_LOST;
import static dev.resilience.event.IdempotencyOutcome.OUTCOME_UNKNOWN;
import static dev.resilience.event.IdempotencyOutcome.RELEASED;
import static dev.resilience.event.IdempotencyOutcome.REPLAYED;
import static dev.resilience.event.IdempotencyOutcome.TAKEN_OVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.idempotency.IdempotencyPolicy.OnAbandoned;
import dev.resilience.idempotency.TestIdempotency.InFlight;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** After the owner of a key has died. */
@ParameterizedClass
@EnumSource(CallMode.class)
class AbandonedTests {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final CallMode mode;

    AbandonedTests(CallMode mode) {
        this.mode = mode;
    }

    private TestIdempotency after(OnAbandoned onAbandoned) {
        return new TestIdempotency(
                mode, IdempotencyPolicy.builder().onAbandoned(onAbandoned).build());
    }

    @Nested
    class TakeOver {

        private final TestIdempotency calls = after(OnAbandoned.TAKE_OVER);
        private InFlight dead;

        @BeforeEach
        void die() {
            dead = calls.startInAProcessThatStops();
        }

        @Test
        void waitsForTheEndOfTheLease() {
            calls.time.advance(LEASE.minusNanos(1));

            assertThatThrownBy(calls.calling()).isInstanceOf(IdempotencyInProgressException.class);

            calls.assertCounted(IN_PROGRESS);
        }

        @Test
        void runsTheNextCall() throws Throwable {
            calls.time.advance(LEASE);

            assertThat(calls.call("second")).isEqualTo("second");
            assertThat(calls.call("third")).isEqualTo("second");

            calls.assertExecutions(2);
            calls.assertCounted(TAKEN_OVER, REPLAYED);
        }

        @Test
        void isReleasedIfItFails() throws Throwable {
            calls.time.advance(LEASE);
            assertThatThrownBy(() -> calls.call("key", "payload", () -> {
                        throw new IllegalStateException("down");
                    }))
                    .hasMessage("down");

            calls.call("third");

            assertThat(calls.idempotency.calls().get(RELEASED)).isEqualTo(1);
            assertThat(calls.idempotency.calls().get(TAKEN_OVER)).isZero();
        }

        @Test
        void takesNothingFromTheOwnerThatWakesUpButItsRecord() throws Throwable {
            calls.time.advance(LEASE);
            calls.call("second");

            dead.succeed("first");

            assertThat(dead.counted(LEASE_LOST)).isEqualTo(1);
            assertThat(calls.call("third")).isEqualTo("second");
        }
    }

    @Nested
    class Reject {

        private final TestIdempotency calls = after(OnAbandoned.REJECT);
        private InFlight dead;

        @BeforeEach
        void die() {
            dead = calls.startInAProcessThatStops();
        }

        private void assertOutcomeUnknown() {
            assertThatExceptionOfType(IdempotencyOutcomeUnknownException.class)
                    .isThrownBy(calls.calling())
                    .withMessageContaining("orders")
                    .withMessageNotContaining("payload");
        }

        @Test
        void waitsForTheEndOfTheLease() {
            calls.time.advance(LEASE.minusNanos(1));

            assertThatThrownBy(calls.calling()).isInstanceOf(IdempotencyInProgressException.class);
        }

        @Test
        void neverRunsAgain() {
            calls.time.advance(LEASE);
            assertOutcomeUnknown();
            calls.time.advance(Duration.ofDays(365));
            assertOutcomeUnknown();

            calls.assertExecutions(1);
            calls.assertCounted(OUTCOME_UNKNOWN, OUTCOME_UNKNOWN);
        }

        @Test
        void endsIfTheOwnerWakesUpAndAnswers() throws Throwable {
            calls.time.advance(Duration.ofHours(1));
            assertOutcomeUnknown();

            dead.succeed("first, at last");

            assertThat(calls.call("second")).isEqualTo("first, at last");
            calls.assertExecutions(1);
        }
    }
}
