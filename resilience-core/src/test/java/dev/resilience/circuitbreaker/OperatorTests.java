package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class OperatorTests {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final CallMode mode;
    private final TestBreaker calls;

    OperatorTests(CallMode mode) {
        this.mode = mode;
        this.calls = new TestBreaker(mode, TestBreaker.consecutive(2).build());
    }

    @Nested
    class ForceOpen {

        @Test
        void refusesAllCallsUntilToldOtherwise() throws Throwable {
            calls.breaker.forceOpen();
            calls.refused();
            calls.time.advance(Duration.ofDays(365));
            calls.refused();
            calls.assertIs(CircuitState.FORCED_OPEN);

            calls.breaker.close();
            calls.succeed();
        }

        @Test
        void tellsCallersToComeBackAfterAnOpenPeriod() {
            calls.breaker.forceOpen();

            assertThat(calls.refused().retryAfter()).isEqualTo(Duration.ofSeconds(30));
        }
    }

    @Nested
    class Open {

        @Test
        void refusesForOneOpenPeriodAndThenProbes() throws Throwable {
            calls.breaker.open();
            assertThat(calls.refused().retryAfter()).isEqualTo(Duration.ofSeconds(30));
            calls.time.advance(Duration.ofSeconds(30));

            calls.succeed();
            calls.assertIs(CircuitState.HALF_OPEN);
            calls.succeed();
            calls.assertIs(CircuitState.CLOSED);
        }

        @Test
        void beginsAWholeOpenPeriodThoughItIsOpenAlready() {
            calls.open();
            calls.time.advance(Duration.ofSeconds(20));

            calls.breaker.open();

            assertThat(calls.refused().retryAfter()).isEqualTo(Duration.ofSeconds(30));
            assertThat(calls.breaker.transitions(CircuitState.OPEN, CircuitState.OPEN))
                    .isZero();
        }

        @Test
        void isHeardOfThoughItIsOpenAlready() {
            calls.open();
            calls.time.advance(Duration.ofSeconds(20));
            calls.events.clear();

            calls.breaker.open();

            assertThat(calls.events)
                    .containsExactly(new CircuitStateChanged(
                            START.plusSeconds(20),
                            "payments",
                            CircuitState.OPEN,
                            CircuitState.OPEN,
                            "opened by hand",
                            null,
                            0,
                            START.plusSeconds(50)));
        }

        @Test
        void isHeardOfInOrderWithWhatFollows() throws Throwable {
            calls.breaker.open();
            calls.breaker.open();
            calls.breaker.halfOpen();
            calls.breaker.halfOpen();
            calls.succeed(2);

            assertThat(calls.events)
                    .extracting(
                            event -> ((CircuitStateChanged) event).from() + " to " + ((CircuitStateChanged) event).to())
                    .containsExactly(
                            "CLOSED to OPEN",
                            "OPEN to OPEN",
                            "OPEN to HALF_OPEN",
                            "HALF_OPEN to HALF_OPEN",
                            "HALF_OPEN to CLOSED");
        }

        @Test
        void isNoNewsOfAChangedPolicy() {
            calls.breaker.open();
            calls.events.clear();

            calls.breaker.reconfigure(TestBreaker.consecutive(3).build());

            assertThat(calls.events).isEmpty();
        }

        @Test
        void endsAForcedState() {
            calls.breaker.forceOpen();

            calls.breaker.open();

            calls.assertIs(CircuitState.OPEN);
        }
    }

    @Nested
    class HalfOpen {

        @Test
        void endsAnOpenPeriodWithAProbingOfWhichTheLastOnesStillCount() throws Throwable {
            TestBreaker growing = new TestBreaker(
                    mode, TestBreaker.consecutive(2).openDurationMultiplier(2).build());
            growing.openAndWait();
            growing.fail();

            growing.breaker.halfOpen();
            growing.assertIs(CircuitState.HALF_OPEN);
            growing.fail();

            assertThat(growing.refused().retryAfter()).isEqualTo(Duration.ofMinutes(2));
        }

        @Test
        void probesACalleeThatNobodyHasFoundIllYet() throws Throwable {
            calls.breaker.halfOpen();
            TestBreaker.InFlight probe = calls.start();
            calls.refused();

            probe.fail();

            calls.assertIs(CircuitState.OPEN);
            assertThat(calls.breaker.transitions(CircuitState.CLOSED, CircuitState.HALF_OPEN))
                    .isEqualTo(1);
            assertThat(calls.breaker.status().reason())
                    .isEqualTo("a probe failed (probing 1); before that: set to half-open by hand");
        }

        @Test
        void ofAForcedStateIsACarefulWayBack() throws Throwable {
            calls.breaker.forceOpen();

            calls.breaker.halfOpen();
            calls.succeed(2);

            calls.assertIs(CircuitState.CLOSED);
        }

        @Test
        void beginsAProbingAnew() throws Throwable {
            calls.openAndWait();
            calls.succeed();

            calls.breaker.halfOpen();

            calls.succeed();
            calls.assertIs(CircuitState.HALF_OPEN);
            assertThat(calls.breaker.transitions(CircuitState.HALF_OPEN, CircuitState.HALF_OPEN))
                    .isZero();
        }
    }

    @Nested
    class Close {

        @Test
        void endsAnOpenPeriodEarly() throws Throwable {
            calls.open();

            calls.breaker.close();

            calls.succeed();
            calls.assertIs(CircuitState.CLOSED);
        }

        @Test
        void endsAProbing() throws Throwable {
            calls.openAndWait();
            calls.succeed();

            calls.breaker.close();

            calls.assertIs(CircuitState.CLOSED);
            assertThat(calls.breaker.transitions(CircuitState.HALF_OPEN, CircuitState.CLOSED))
                    .isEqualTo(1);
        }

        @Test
        void forgetsTheFailuresSoFarThoughItIsClosedAlready() {
            calls.fail();

            calls.breaker.close();

            calls.fail();
            calls.assertIs(CircuitState.CLOSED);
        }

        @Test
        void emptiesTheWindow() {
            TestBreaker rate = new TestBreaker(
                    mode, CircuitBreakerPolicy.builder().failureThreshold(0).build());
            rate.fail(9);

            rate.breaker.close();

            rate.fail(9);
            rate.assertIs(CircuitState.CLOSED);
        }
    }

    @Nested
    class Disable {

        @Test
        void admitsAllAndCountsNothing() throws Throwable {
            calls.breaker.disable();

            calls.succeed();
            calls.fail(100);
            calls.fail(new IllegalArgumentException("ignored"));
            calls.start().cancel();

            calls.assertIs(CircuitState.DISABLED);
            calls.assertCounted(0, 0, 0, 0);
        }

        @Test
        void endsAnOpenPeriod() throws Throwable {
            calls.open();

            calls.breaker.disable();

            calls.succeed();
        }
    }

    @Nested
    class MetricsOnly {

        @Test
        void admitsAllAndCountsEverything() throws Throwable {
            calls.breaker.metricsOnly();

            calls.succeed(5);
            calls.fail(15);
            calls.fail(new IllegalArgumentException("ignored"));

            calls.assertIs(CircuitState.METRICS_ONLY);
            calls.assertCounted(5, 15, 1, 0);
            assertThat(calls.breaker.status().windowCalls()).isEqualTo(20);
        }

        @Test
        void showsTheRateThoughNoneWouldOpenIt() throws Throwable {
            assertThat(calls.breaker.policy().failureRateThreshold()).isZero();
            calls.breaker.metricsOnly();
            assertThat(calls.breaker.failureRate()).isNaN();

            calls.succeed(5);
            calls.fail(15);

            assertThat(calls.breaker.failureRate()).isEqualTo(0.75);
        }

        @Test
        void countsSlowCalls() throws Throwable {
            TestBreaker slow = new TestBreaker(
                    mode,
                    CircuitBreakerPolicy.builder()
                            .slowCallDuration(Duration.ofSeconds(1))
                            .initialState(CircuitState.METRICS_ONLY)
                            .build());

            for (int i = 0; i < 20; i++) {
                slow.succeedAfter(Duration.ofSeconds(2));
            }

            slow.assertIs(CircuitState.METRICS_ONLY);
            assertThat(slow.breaker.slowCalls()).isEqualTo(20);
        }

        @Test
        void beginsWithAnEmptyWindowThoughItIsInThatStateAlready() {
            calls.breaker.metricsOnly();
            calls.fail(20);
            calls.events.clear();

            calls.breaker.metricsOnly();

            assertThat(calls.breaker.status().windowCalls()).isZero();
            assertThat(calls.events).isEmpty();
        }

        @Test
        void endsAnOpenPeriodAndForgetsNothingOfWhy() throws Throwable {
            calls.open();

            calls.breaker.metricsOnly();

            calls.succeed();
            assertThat(calls.breaker.status().reason()).isEqualTo("2 calls in a row failed");
            assertThat(calls.breaker.status().failedProbes()).isZero();
            assertThat(calls.breaker.status().refused()).isZero();
            assertThat(calls.breaker.transitions(CircuitState.OPEN, CircuitState.METRICS_ONLY))
                    .isEqualTo(1);
        }

        @Test
        void leavesNoFailureBehindThatWouldOpenIt() {
            calls.breaker.metricsOnly();
            calls.fail(10);

            calls.breaker.close();

            calls.fail();
            calls.assertIs(CircuitState.CLOSED);
        }
    }

    @Nested
    class Reset {

        @Test
        void goesBackToTheInitialState() {
            for (CircuitState initial : new CircuitState[] {
                CircuitState.CLOSED, CircuitState.FORCED_OPEN, CircuitState.DISABLED, CircuitState.METRICS_ONLY
            }) {
                TestBreaker other = startingIn(initial);
                other.breaker.close();
                other.open();

                other.breaker.reset();

                other.assertIs(initial);
            }
        }

        @Test
        void startsAWholeOpenPeriodIfItWasOpenInitially() {
            TestBreaker open = startingIn(CircuitState.OPEN);
            open.time.advance(Duration.ofSeconds(20));

            open.breaker.reset();

            assertThat(open.refused().retryAfter()).isEqualTo(Duration.ofSeconds(30));
        }

        @Test
        void leavesWhatWasCounted() throws Throwable {
            calls.succeed();
            calls.open();
            calls.refused();

            calls.breaker.reset();

            calls.assertCounted(1, 2, 0, 1);
            assertThat(calls.breaker.transitions(CircuitState.CLOSED, CircuitState.OPEN))
                    .isEqualTo(1);
            assertThat(calls.breaker.transitions(CircuitState.OPEN, CircuitState.CLOSED))
                    .isEqualTo(1);
        }

        @Test
        void forgetsTheFailuresSoFar() {
            calls.fail();
            calls.breaker.reset();

            calls.fail();

            calls.assertIs(CircuitState.CLOSED);
        }
    }

    @Nested
    class InitialState {

        @Test
        void isWhatItStartsIn() {
            for (CircuitState initial : new CircuitState[] {
                CircuitState.CLOSED,
                CircuitState.OPEN,
                CircuitState.FORCED_OPEN,
                CircuitState.DISABLED,
                CircuitState.METRICS_ONLY
            }) {
                TestBreaker breaker = startingIn(initial);

                breaker.assertIs(initial);
                assertThat(breaker.events).isEmpty();
            }
        }

        @Test
        void mayBeOpenForOnePeriod() throws Throwable {
            TestBreaker open = startingIn(CircuitState.OPEN);
            open.refused();
            open.time.advance(Duration.ofSeconds(30));

            open.succeed(2);

            open.assertIs(CircuitState.CLOSED);
        }

        @Test
        void mayBeForcedOpen() {
            TestBreaker forced = startingIn(CircuitState.FORCED_OPEN);
            forced.time.advance(Duration.ofDays(1));

            forced.refused();
        }

        @Test
        void mayBeDisabled() {
            TestBreaker disabled = startingIn(CircuitState.DISABLED);

            disabled.fail(10);

            disabled.assertCounted(0, 0, 0, 0);
        }
    }

    @Test
    void doingTheSameTwiceIsOneTransition() {
        calls.breaker.forceOpen();
        calls.breaker.forceOpen();
        calls.breaker.disable();
        calls.breaker.disable();

        assertThat(calls.breaker.transitions(CircuitState.CLOSED, CircuitState.FORCED_OPEN))
                .isEqualTo(1);
        assertThat(calls.breaker.transitions(CircuitState.FORCED_OPEN, CircuitState.FORCED_OPEN))
                .isZero();
        assertThat(calls.breaker.transitions(CircuitState.FORCED_OPEN, CircuitState.DISABLED))
                .isEqualTo(1);
        assertThat(calls.events).hasSize(2);
    }

    private TestBreaker startingIn(CircuitState initial) {
        return new TestBreaker(
                mode, TestBreaker.consecutive(2).initialState(initial).build());
    }
}
