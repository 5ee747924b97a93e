package dev.resilience.circuitbreaker;

import static dev.resilience.circuitbreaker.TestBreaker.consecutive;

import dev.resilience.event.CircuitState;
import dev.resilience.policy.CallMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class ConsecutiveFailuresTests {

    private final CallMode mode;
    private final TestBreaker calls;

    ConsecutiveFailuresTests(CallMode mode) {
        this.mode = mode;
        this.calls = new TestBreaker(mode, consecutive(3).build());
    }

    @Test
    void openAtTheThresholdAndNotBefore() {
        calls.fail(2);
        calls.assertIs(CircuitState.CLOSED);

        calls.fail();
        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void startOverWithEverySuccess() throws Throwable {
        for (int i = 0; i < 10; i++) {
            calls.fail(2);
            calls.succeed();
        }

        calls.assertIs(CircuitState.CLOSED);
        calls.assertCounted(10, 20, 0, 0);
    }

    @Test
    void areNotBrokenByAnIgnoredFailure() {
        calls.fail(2);
        calls.fail(new IllegalArgumentException("ignored"));
        calls.assertIs(CircuitState.CLOSED);

        calls.fail();
        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void areCountedFromZeroEachTimeItCloses() throws Throwable {
        calls.openAndWait();
        calls.succeed(2);
        calls.assertIs(CircuitState.CLOSED);

        calls.fail(2);
        calls.assertIs(CircuitState.CLOSED);
        calls.fail();
        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void openAtTheFirstIfSoConfigured() {
        TestBreaker strict = new TestBreaker(mode, consecutive(1).build());

        strict.fail();

        strict.assertIs(CircuitState.OPEN);
    }

    @Test
    void openAtFiveByDefault() {
        TestBreaker byDefault = new TestBreaker(mode, CircuitBreakerPolicy.defaults());

        byDefault.fail(4);
        byDefault.assertIs(CircuitState.CLOSED);
        byDefault.fail();
        byDefault.assertIs(CircuitState.OPEN);
    }

    @Test
    void neverOpenIfTheThresholdIsZero() {
        TestBreaker off = new TestBreaker(mode, consecutive(0).build());

        off.fail(1_000);

        off.assertIs(CircuitState.CLOSED);
        off.assertCounted(0, 1_000, 0, 0);
    }
}
