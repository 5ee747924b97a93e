package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class OpenPeriodTests {

    private static final Duration OPEN = Duration.ofSeconds(30);

    private final CallMode mode;
    private final TestBreaker calls;

    OpenPeriodTests(CallMode mode) {
        this.mode = mode;
        this.calls = new TestBreaker(mode, TestBreaker.consecutive(1).build());
    }

    @Nested
    class WhileItLasts {

        @Test
        void noCallIsMade() {
            calls.open();

            calls.time.advance(OPEN.minusNanos(1));

            assertThat(calls.refused())
                    .hasMessageContaining("payments")
                    .returns("payments", CircuitOpenException::name);
            calls.assertIs(CircuitState.OPEN);
            calls.assertCounted(0, 1, 0, 1);
        }

        @Test
        void theRefusalTellsHowMuchIsLeft() {
            calls.open();
            assertThat(calls.refused().retryAfter()).isEqualTo(OPEN);

            calls.time.advance(Duration.ofSeconds(12));
            assertThat(calls.refused().retryAfter()).isEqualTo(Duration.ofSeconds(18));
        }

        @Test
        void whatIsLeftIsNeverZero() {
            calls.open();
            calls.time.advance(OPEN.minusNanos(1));

            assertThat(calls.refused().retryAfter()).isPositive();
        }
    }

    @Nested
    class WhenItIsOver {

        @Test
        void nothingHappensWithoutACall() {
            calls.open();
            int before = calls.events.size();

            calls.time.advance(Duration.ofDays(365));

            calls.assertIs(CircuitState.OPEN);
            assertThat(calls.events).hasSize(before);
            assertThat(calls.breaker.transitions(CircuitState.OPEN, CircuitState.HALF_OPEN))
                    .isZero();
        }

        @Test
        void theNextCallIsAProbe() throws Throwable {
            calls.open();
            calls.time.advance(OPEN);

            calls.succeed();

            calls.assertIs(CircuitState.HALF_OPEN);
        }
    }

    @Nested
    class Grows {

        private TestBreaker growing(double multiplier, Duration max) {
            return new TestBreaker(
                    mode,
                    TestBreaker.consecutive(1)
                            .openDurationMultiplier(multiplier)
                            .maxOpenDuration(max)
                            .build());
        }

        private static void assertOpensFor(TestBreaker growing, Duration expected) {
            growing.fail();
            growing.assertIs(CircuitState.OPEN);
            assertThat(growing.refused().retryAfter()).isEqualTo(expected);
            growing.time.advance(expected);
        }

        @Test
        void withEachFailedProbingUpToTheLimit() {
            TestBreaker growing = growing(2, Duration.ofMinutes(5));

            assertOpensFor(growing, Duration.ofSeconds(30));
            assertOpensFor(growing, Duration.ofMinutes(1));
            assertOpensFor(growing, Duration.ofMinutes(2));
            assertOpensFor(growing, Duration.ofMinutes(4));
            assertOpensFor(growing, Duration.ofMinutes(5));
            assertOpensFor(growing, Duration.ofMinutes(5));
        }

        @Test
        void fromTheStartAgainOnceItHasClosed() throws Throwable {
            TestBreaker growing = growing(2, Duration.ofMinutes(5));
            assertOpensFor(growing, Duration.ofSeconds(30));
            assertOpensFor(growing, Duration.ofSeconds(60));
            growing.succeed(2);
            growing.assertIs(CircuitState.CLOSED);

            assertOpensFor(growing, Duration.ofSeconds(30));
        }

        @Test
        void withoutOverflow() {
            TestBreaker growing = growing(Double.MAX_VALUE, Duration.ofSeconds(Long.MAX_VALUE));
            assertOpensFor(growing, Duration.ofSeconds(30));

            growing.fail();

            assertThat(growing.refused().retryAfter()).isGreaterThan(Duration.ofDays(365 * 200));
        }

        @Test
        void notWithAMultiplierOfOne() {
            for (int i = 0; i < 10; i++) {
                assertOpensFor(calls, OPEN);
            }
        }

        @Test
        void twofoldByDefault() {
            TestBreaker byDefault = new TestBreaker(
                    mode, CircuitBreakerPolicy.builder().failureThreshold(1).build());

            assertOpensFor(byDefault, OPEN);
            assertOpensFor(byDefault, OPEN.multipliedBy(2));
            assertOpensFor(byDefault, OPEN.multipliedBy(4));
            assertOpensFor(byDefault, OPEN.multipliedBy(8));
            assertOpensFor(byDefault, Duration.ofMinutes(5));
            assertOpensFor(byDefault, Duration.ofMinutes(5));
        }

        @Test
        void notWhereThePeriodIsTheLimit() {
            TestBreaker longPeriod = new TestBreaker(
                    mode,
                    TestBreaker.consecutive(1)
                            .openDuration(Duration.ofHours(1))
                            .openDurationMultiplier(2)
                            .maxOpenDuration(Duration.ofHours(1))
                            .build());

            assertOpensFor(longPeriod, Duration.ofHours(1));
            assertOpensFor(longPeriod, Duration.ofHours(1));
        }
    }

    @Test
    void mayBeAsLongAsADurationCanBe() {
        TestBreaker forEver = new TestBreaker(
                mode,
                TestBreaker.consecutive(1)
                        .openDuration(Duration.ofSeconds(Long.MAX_VALUE))
                        .maxOpenDuration(Duration.ofSeconds(Long.MAX_VALUE))
                        .build());
        forEver.open();
        forEver.time.advance(Duration.ofDays(365 * 100));

        assertThat(forEver.refused().retryAfter()).isPositive();
    }
}
