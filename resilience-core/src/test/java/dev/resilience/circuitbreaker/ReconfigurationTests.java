package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.circuitbreaker.TestBreaker.InFlight;
import dev.resilience.event.CircuitState;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A policy that changes, in each of the states; {@link CallsUnderWayAtAReconfigurationTests} tells of the calls. */
@ParameterizedClass
@EnumSource(CallMode.class)
class ReconfigurationTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final TestBreaker calls;

    ReconfigurationTests(CallMode mode) {
        this.calls = new TestBreaker(mode, TestBreaker.consecutive(2).build());
    }

    private void reconfigure(CircuitBreakerPolicy.Builder policy) {
        CircuitState before = calls.breaker.currentState();
        int eventsBefore = calls.events.size();
        CircuitBreakerPolicy built = policy.build();

        calls.breaker.reconfigure(built);

        assertThat(calls.breaker.policy()).isSameAs(built);
        calls.assertIs(before);
        assertThat(calls.events).hasSize(eventsBefore);
    }

    /** A change of the policy is no transition, whatever the state. */
    @AfterEach
    void everyTransitionHadItsEvent() {
        long transitions = 0;
        for (CircuitState from : CircuitState.values()) {
            assertThat(calls.breaker.transitions(from, from)).isZero();
            for (CircuitState to : CircuitState.values()) {
                transitions += calls.breaker.transitions(from, to);
            }
        }
        assertThat(calls.events.stream().filter(event -> event.type().equals("state-changed")))
                .hasSize((int) transitions);
    }

    @Nested
    class WhileClosed {

        @Test
        void keepsTheFailuresInARowIfTheSameCallsOpenIt() {
            calls.fail();

            reconfigure(TestBreaker.consecutive(2).openDuration(MINUTE));

            calls.fail();
            calls.assertIs(CircuitState.OPEN);
            assertThat(calls.refused().retryAfter()).isEqualTo(MINUTE);
        }

        @Test
        void beginsWithNoFailureInARowIfOtherCallsOpenIt() {
            calls.fail();

            reconfigure(TestBreaker.consecutive(2).minimumCalls(3));

            calls.fail();
            calls.assertIs(CircuitState.CLOSED);
            calls.fail();
            calls.assertIs(CircuitState.OPEN);
        }

        @Test
        void keepsItsWindowIfTheSameCallsOpenIt() {
            reconfigure(rate());
            calls.fail(4);

            reconfigure(rate().ramp(MINUTE)
                    .halfOpen(new HalfOpen(3, 3, MINUTE))
                    .recordOn(List.of(IllegalArgumentException.class)));

            assertThat(calls.breaker.status().windowCalls()).isEqualTo(4);
            calls.fail(new IllegalArgumentException("listed"));
            calls.assertIs(CircuitState.OPEN);
            assertThat(calls.breaker.status().reason()).isEqualTo("100% of 5 calls in the last 60 s failed");
        }

        @Test
        void beginsWithAnEmptyWindowIfOtherCallsOpenIt() {
            for (CircuitBreakerPolicy.Builder other : List.of(
                    rate().failureThreshold(100),
                    rate().failureRateThreshold(0.6),
                    rate().minimumCalls(4),
                    rate().window(new Window(Window.Type.TIME, MINUTE.multipliedBy(2), 100)),
                    rate().slowCallDuration(MINUTE),
                    rate().slowCallRateThreshold(0.9))) {
                reconfigure(rate());
                calls.fail(3);

                reconfigure(other);

                assertThat(calls.breaker.status().windowCalls()).isZero();
                assertThat(calls.breaker.failureRate()).isNaN();
            }
        }

        private CircuitBreakerPolicy.Builder rate() {
            return TestBreaker.consecutive(0).failureRateThreshold(0.5).minimumCalls(5);
        }

        @Test
        void goesByTheNewThresholds() {
            reconfigure(TestBreaker.consecutive(4));
            calls.fail(3);
            calls.assertIs(CircuitState.CLOSED);

            reconfigure(TestBreaker.consecutive(1));
            calls.fail();
            calls.assertIs(CircuitState.OPEN);
        }

        @Test
        void goesByTheNewWindow() throws Throwable {
            reconfigure(TestBreaker.consecutive(0)
                    .failureRateThreshold(0.5)
                    .minimumCalls(1)
                    .window(new Window(Window.Type.COUNT, MINUTE, 1)));
            calls.succeed(5);

            calls.fail();

            calls.assertIs(CircuitState.OPEN);
        }

        @Test
        void goesByTheNewLists() {
            reconfigure(TestBreaker.consecutive(1).ignoreOn(List.of(IllegalStateException.class)));
            calls.fail();
            calls.assertIs(CircuitState.CLOSED);

            reconfigure(TestBreaker.consecutive(1).recordOn(List.of(IllegalArgumentException.class)));
            calls.fail(new IllegalArgumentException("listed"));
            calls.assertIs(CircuitState.OPEN);
        }
    }

    @Nested
    class WhileOpen {

        @Test
        void staysOpenSinceItOpenedForAsLongAsTheNewPolicySays() {
            calls.open();
            calls.time.advance(Duration.ofSeconds(10));

            reconfigure(TestBreaker.consecutive(2).openDuration(MINUTE));

            assertThat(calls.refused().retryAfter()).isEqualTo(Duration.ofSeconds(50));
        }

        @Test
        void probesAtOnceIfTheNewPeriodIsOverAlready() throws Throwable {
            calls.open();
            calls.time.advance(Duration.ofSeconds(10));

            reconfigure(TestBreaker.consecutive(2).openDuration(Duration.ofSeconds(10)));

            calls.succeed();
            calls.assertIs(CircuitState.HALF_OPEN);
        }

        @Test
        void appliesTheNewGrowthToTheProbingsThatFailed() {
            calls.open();
            calls.time.advance(Duration.ofSeconds(30));
            calls.fail();
            calls.time.advance(Duration.ofSeconds(30));
            calls.fail();

            reconfigure(TestBreaker.consecutive(2).openDurationMultiplier(3));
            assertThat(calls.refused().retryAfter()).isEqualTo(Duration.ofSeconds(270));

            reconfigure(TestBreaker.consecutive(2).openDurationMultiplier(3).maxOpenDuration(MINUTE));
            assertThat(calls.refused().retryAfter()).isEqualTo(MINUTE);
        }

        @Test
        void showsTheRateThatOpenedIt() {
            reconfigure(TestBreaker.consecutive(0).failureRateThreshold(0.5));
            calls.open();

            reconfigure(TestBreaker.consecutive(0));

            assertThat(calls.breaker.failureRate()).isEqualTo(1);
        }

        @Test
        void probesAsTheNewPolicySays() throws Throwable {
            calls.open();
            reconfigure(TestBreaker.consecutive(2).halfOpen(new HalfOpen(2, 1, MINUTE)));
            calls.time.advance(Duration.ofSeconds(30));

            InFlight first = calls.start();
            calls.start();
            calls.refused();
            first.succeed();

            calls.assertIs(CircuitState.CLOSED);
        }
    }

    @Nested
    class WhileHalfOpen {

        @Test
        void beginsTheProbingAnew() throws Throwable {
            calls.openAndWait();
            calls.succeed();

            reconfigure(TestBreaker.consecutive(2));

            calls.succeed();
            calls.assertIs(CircuitState.HALF_OPEN);
            calls.succeed();
            calls.assertIs(CircuitState.CLOSED);
        }

        @Test
        void probesThatWereUnderWayHoldNoPlaceAndDecideNothing() throws Throwable {
            calls.openAndWait();
            InFlight early = calls.start();

            reconfigure(TestBreaker.consecutive(2).halfOpen(new HalfOpen(1, 1, MINUTE)));

            InFlight probe = calls.start();
            early.fail();
            calls.assertIs(CircuitState.HALF_OPEN);
            calls.assertCounted(0, 3, 0, 0);
            calls.refused();
            probe.succeed();
            calls.assertIs(CircuitState.CLOSED);
        }

        @Test
        void probesThatWereUnderWayKeepTheirTimeout() {
            calls.openAndWait();
            InFlight early = calls.start();
            reconfigure(TestBreaker.consecutive(2).halfOpen(new HalfOpen(1, 1, Duration.ofHours(1))));
            calls.time.advance(Duration.ofSeconds(30));

            early.succeed();

            calls.assertCounted(0, 2, 1, 0);
        }

        @Test
        void aFailureOpensForTheNewPeriodThatHasGrown() {
            calls.openAndWait();
            calls.fail();
            calls.time.advance(Duration.ofSeconds(30));
            calls.start();

            reconfigure(TestBreaker.consecutive(2)
                    .openDuration(Duration.ofSeconds(10))
                    .openDurationMultiplier(2));
            calls.fail();

            assertThat(calls.refused().retryAfter()).isEqualTo(Duration.ofSeconds(40));
        }
    }

    @Test
    void staysForcedOpenUntilToldOtherwise() {
        calls.breaker.forceOpen();

        reconfigure(TestBreaker.consecutive(2).openDuration(MINUTE));

        assertThat(calls.refused().retryAfter()).isEqualTo(MINUTE);
        calls.time.advance(MINUTE.multipliedBy(2));
        calls.refused();
    }

    @Test
    void staysMetricsOnlyAndKeepsItsWindowIfTheSameCallsWouldOpenIt() {
        calls.breaker.metricsOnly();
        calls.fail(10);

        reconfigure(TestBreaker.consecutive(2).openDuration(MINUTE));
        assertThat(calls.breaker.failureRate()).isEqualTo(1);

        reconfigure(TestBreaker.consecutive(1));
        assertThat(calls.breaker.failureRate()).isNaN();
        calls.fail(10);
        calls.assertIs(CircuitState.METRICS_ONLY);
    }

    @Test
    void staysDisabledUntilToldOtherwise() {
        calls.breaker.disable();

        reconfigure(TestBreaker.consecutive(1));
        calls.fail(10);
        calls.assertIs(CircuitState.DISABLED);

        calls.breaker.close();
        calls.fail();
        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void theNewInitialStateMattersToAResetAlone() {
        reconfigure(TestBreaker.consecutive(2).initialState(CircuitState.FORCED_OPEN));
        calls.fail();
        calls.assertIs(CircuitState.CLOSED);

        calls.breaker.reset();

        calls.assertIs(CircuitState.FORCED_OPEN);
    }

    @Test
    void whatWasCountedStaysCounted() throws Throwable {
        calls.succeed(3);
        calls.open();
        calls.refused();

        reconfigure(TestBreaker.consecutive(1));

        calls.assertCounted(3, 2, 0, 1);
    }
}
