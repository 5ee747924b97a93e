package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.TestBreaker.InFlight;
import dev.resilience.event.CircuitState;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A call that is under way when the policy changes: it ends by the policy that it began under. */
@ParameterizedClass
@EnumSource(CallMode.class)
class CallsUnderWayAtAReconfigurationTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final TestBreaker calls;

    CallsUnderWayAtAReconfigurationTests(CallMode mode) {
        this.calls = new TestBreaker(mode, TestBreaker.consecutive(2).build());
    }

    @Test
    void isCountedAndDecidesNothing() throws Throwable {
        InFlight failing = calls.start();
        InFlight succeeding = calls.start();
        InFlight cancelled = calls.start();
        calls.breaker.reconfigure(TestBreaker.consecutive(1).build());

        failing.fail();
        succeeding.succeed();
        cancelled.cancel();

        calls.assertIs(CircuitState.CLOSED);
        calls.assertCounted(1, 1, 1, 0);
    }

    @Test
    void breaksNoSeriesOfFailures() {
        InFlight early = calls.start();
        calls.breaker.reconfigure(TestBreaker.consecutive(3).build());
        calls.fail(2);

        early.succeed();

        calls.fail();
        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void breaksTheSeriesOfFailuresThatItsOwnPolicyBegan() {
        InFlight early = calls.start();
        calls.breaker.reconfigure(
                TestBreaker.consecutive(2).openDuration(MINUTE).build());
        calls.fail();

        early.succeed();

        calls.fail();
        calls.assertIs(CircuitState.CLOSED);
    }

    @Test
    void opensItUnderTheNewPolicyIfTheSameCallsDo() {
        InFlight early = calls.start();
        calls.fail();
        calls.breaker.reconfigure(
                TestBreaker.consecutive(2).openDuration(MINUTE).build());

        early.fail();

        calls.assertIs(CircuitState.OPEN);
        assertThat(calls.refused().retryAfter()).isEqualTo(MINUTE);
    }

    @Test
    void saysNothingOnceItHasOpenedAndClosedUnderTheNewPolicy() {
        InFlight first = calls.start();
        InFlight second = calls.start();
        calls.breaker.reconfigure(
                TestBreaker.consecutive(2).openDuration(MINUTE).build());
        calls.open();
        calls.breaker.close();

        first.fail();
        second.fail();

        calls.assertIs(CircuitState.CLOSED);
    }

    @Test
    void countsAsItsOwnPolicySays() {
        InFlight early = calls.start();
        calls.breaker.reconfigure(TestBreaker.consecutive(1)
                .ignoreOn(List.of(IllegalStateException.class))
                .build());
        InFlight late = calls.start();

        early.fail();
        calls.assertCounted(0, 1, 0, 0);

        late.fail();
        calls.assertCounted(0, 1, 1, 0);
    }

    @Test
    void isNotSlowIfItsOwnPolicyKnewNoSlowCalls() throws Throwable {
        calls.time.advance(MINUTE);
        InFlight early = calls.start();
        calls.breaker.reconfigure(TestBreaker.consecutive(1)
                .slowCallDuration(Duration.ofSeconds(1))
                .build());
        calls.time.advance(MINUTE);

        early.succeed();

        assertThat(calls.breaker.slowCalls()).isZero();
        calls.succeedAfter(MINUTE);
        assertThat(calls.breaker.slowCalls()).isEqualTo(1);
    }

    @Test
    void isSlowIfItsOwnPolicySaysSo() {
        calls.breaker.reconfigure(TestBreaker.consecutive(1)
                .slowCallDuration(Duration.ofSeconds(1))
                .build());
        InFlight first = calls.start();
        InFlight second = calls.start();
        calls.time.advance(MINUTE);

        calls.breaker.reconfigure(
                TestBreaker.consecutive(1).slowCallDuration(Duration.ofHours(1)).build());
        first.succeed();
        calls.breaker.reconfigure(TestBreaker.consecutive(1).build());
        second.succeed();

        assertThat(calls.breaker.slowCalls()).isEqualTo(2);
    }

    @Test
    void isNotCountedIfItWasAdmittedWhileDisabled() {
        calls.breaker.disable();
        InFlight early = calls.start();
        calls.breaker.reconfigure(TestBreaker.consecutive(1).build());
        calls.breaker.close();

        early.fail();

        calls.assertIs(CircuitState.CLOSED);
        calls.assertCounted(0, 0, 0, 0);
    }
}
