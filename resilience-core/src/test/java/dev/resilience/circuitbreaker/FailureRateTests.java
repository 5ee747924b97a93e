package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.event.CircuitState;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class FailureRateTests {

    private final CallMode mode;

    FailureRateTests(CallMode mode) {
        this.mode = mode;
    }

    private TestBreaker breaker(Window.Type type, int size) {
        Window window = new Window(type, Duration.ofSeconds(20), size);
        return new TestBreaker(mode, rate(0.5).window(window).build());
    }

    private static CircuitBreakerPolicy.Builder rate(double threshold) {
        return CircuitBreakerPolicy.builder()
                .failureThreshold(0)
                .failureRateThreshold(threshold)
                .minimumCalls(4);
    }

    @ParameterizedClass
    @EnumSource(Window.Type.class)
    @Nested
    class InEitherWindow {

        private final TestBreaker calls;

        InEitherWindow(Window.Type type) {
            this.calls = breaker(type, 10);
        }

        @Test
        void opensAtTheThresholdOnceThereAreEnoughCalls() {
            calls.fail(3);
            calls.assertIs(CircuitState.CLOSED);

            calls.fail();
            calls.assertIs(CircuitState.OPEN);
        }

        @Test
        void opensWhenTheRateIsExactlyTheThreshold() throws Throwable {
            calls.succeed(3);
            calls.fail(2);
            calls.assertIs(CircuitState.CLOSED);

            calls.fail();
            calls.assertIs(CircuitState.OPEN);
        }

        @Test
        void mayOpenOnASuccessThatCompletesTheMinimum() throws Throwable {
            calls.fail(3);

            calls.succeed();

            calls.assertIs(CircuitState.OPEN);
            calls.assertCounted(1, 3, 0, 0);
        }

        @Test
        void staysClosedBelowTheThreshold() throws Throwable {
            for (int i = 0; i < 20; i++) {
                calls.succeed(2);
                calls.fail();
                calls.assertIs(CircuitState.CLOSED);
            }
        }

        @Test
        void leavesIgnoredCallsOut() {
            for (int i = 0; i < 10; i++) {
                calls.fail(new IllegalArgumentException("ignored"));
            }
            calls.fail(3);
            calls.assertIs(CircuitState.CLOSED);
            assertThat(calls.breaker.failureRate()).isNaN();
        }

        @Test
        void isShownOnceThereAreEnoughCalls() throws Throwable {
            assertThat(calls.breaker.failureRate()).isNaN();
            calls.fail();
            calls.succeed(2);
            assertThat(calls.breaker.failureRate()).isNaN();

            calls.succeed();
            assertThat(calls.breaker.failureRate()).isEqualTo(0.25);
        }

        @Test
        void staysInSightWhileTheBreakerIsOpen() throws Throwable {
            calls.succeed();
            calls.fail(3);
            calls.assertIs(CircuitState.OPEN);

            assertThat(calls.breaker.failureRate()).isEqualTo(0.75);
            calls.breaker.forceOpen();
            assertThat(calls.breaker.failureRate()).isNaN();
        }

        @Test
        void startsAnewWhenItCloses() throws Throwable {
            calls.openAndWait();
            calls.succeed(2);
            calls.assertIs(CircuitState.CLOSED);

            calls.fail(3);
            calls.assertIs(CircuitState.CLOSED);
        }
    }

    @Nested
    class InAWindowOfCalls {

        private final TestBreaker calls = breaker(Window.Type.COUNT, 4);

        @Test
        void forgetsTheOldestCall() throws Throwable {
            calls.fail();
            calls.succeed(4);
            assertThat(calls.breaker.failureRate()).isZero();

            calls.fail();
            calls.assertIs(CircuitState.CLOSED);
            calls.fail();
            calls.assertIs(CircuitState.OPEN);
        }

        @Test
        void forgetsNothingAsTimePasses() throws Throwable {
            calls.fail();
            calls.succeed(2);
            calls.time.advance(Duration.ofDays(1));

            calls.fail();

            calls.assertIs(CircuitState.OPEN);
        }
    }

    @Nested
    class InAWindowOfTime {

        private final TestBreaker calls = breaker(Window.Type.TIME, 1);

        @Test
        void forgetsWhatIsOlder() {
            calls.fail(3);
            calls.time.advance(Duration.ofSeconds(20));

            calls.fail(3);
            calls.assertIs(CircuitState.CLOSED);
            calls.fail();
            calls.assertIs(CircuitState.OPEN);
        }

        @Test
        void remembersWhatIsNewer() {
            calls.fail(3);
            calls.time.advance(Duration.ofSeconds(19));

            calls.fail();

            calls.assertIs(CircuitState.OPEN);
        }

        @Test
        void opensOnASuccessWhenOlderSuccessesHaveExpired() throws Throwable {
            calls.succeed(6);
            calls.time.advance(Duration.ofSeconds(10));
            calls.fail(4);
            calls.time.advance(Duration.ofSeconds(9));
            calls.succeed();
            calls.assertIs(CircuitState.CLOSED);

            calls.time.advance(Duration.ofSeconds(1));
            calls.succeed();

            calls.assertIs(CircuitState.OPEN);
        }
    }

    @Test
    void neverOpensIfTheThresholdIsZero() {
        TestBreaker off = new TestBreaker(mode, rate(0).build());

        off.fail(1_000);

        off.assertIs(CircuitState.CLOSED);
        assertThat(off.breaker.failureRate()).isOne();
    }

    @Test
    void opensAtOneOnlyIfAllCallsFail() throws Throwable {
        TestBreaker all = new TestBreaker(mode, rate(1).build());
        all.succeed();
        all.fail(100);
        all.assertIs(CircuitState.CLOSED);

        all.time.advance(Duration.ofMinutes(1));
        all.fail(4);

        all.assertIs(CircuitState.OPEN);
    }
}
