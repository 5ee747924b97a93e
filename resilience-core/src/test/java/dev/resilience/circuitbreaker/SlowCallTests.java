package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.circuitbreaker.CallWindow.WindowCounts;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.circuitbreaker.Outage.Rule;
import dev.resilience.event.CircuitState;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

@ParameterizedClass
@CsvSource({
    "BLOCKING, TIME",
    "BLOCKING, COUNT",
    "ANSWERED_AT_ONCE, TIME",
    "ANSWERED_AT_ONCE, COUNT",
    "ANSWERED_LATER, TIME",
    "ANSWERED_LATER, COUNT"
})
class SlowCallTests {

    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final Duration SLOW = LIMIT.plusNanos(1);

    private final CallMode mode;
    private final Window window;

    SlowCallTests(CallMode mode, Window.Type type) {
        this.mode = mode;
        this.window = new Window(type, Duration.ofMinutes(5), 10);
    }

    private TestBreaker slowCalls(double threshold) {
        return new TestBreaker(
                mode,
                TestBreaker.consecutive(0)
                        .minimumCalls(4)
                        .window(window)
                        .slowCallDuration(LIMIT)
                        .slowCallRateThreshold(threshold)
                        .build());
    }

    @Test
    void areThoseThatTakeLongerThanTheLimit() throws Throwable {
        TestBreaker calls = slowCalls(1);

        calls.succeedAfter(LIMIT);
        assertThat(calls.breaker.slowCalls()).isZero();

        calls.succeedAfter(SLOW);
        assertThat(calls.breaker.slowCalls()).isEqualTo(1);
    }

    @Test
    void openItAlthoughTheySucceed() throws Throwable {
        TestBreaker calls = slowCalls(1);
        for (int i = 0; i < 3; i++) {
            calls.succeedAfter(SLOW);
        }
        calls.assertIs(CircuitState.CLOSED);

        calls.succeedAfter(SLOW);
        calls.assertIs(CircuitState.OPEN);
        calls.assertCounted(4, 0, 0, 0);
    }

    @Test
    void areHeldAgainstTheirShareOfAllCalls() throws Throwable {
        TestBreaker calls = slowCalls(0.5);
        calls.succeed(3);
        calls.succeedAfter(SLOW);
        calls.succeedAfter(SLOW);
        calls.assertIs(CircuitState.CLOSED);

        calls.succeedAfter(SLOW);
        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void mayFailAsWell() throws Throwable {
        TestBreaker calls = slowCalls(1);
        for (int i = 0; i < 4; i++) {
            IllegalStateException failure = new IllegalStateException("down, after a while");
            assertThat(catchThrowable(() -> calls.call(() -> {
                        calls.time.advance(SLOW);
                        throw failure;
                    })))
                    .isSameAs(failure);
        }

        calls.assertIs(CircuitState.OPEN);
        assertThat(calls.breaker.slowCalls()).isEqualTo(4);
        calls.assertCounted(0, 4, 0, 0);
    }

    @Test
    void areCountedButNeverOpenIfTheThresholdIsZero() throws Throwable {
        TestBreaker calls = slowCalls(0);
        for (int i = 0; i < 20; i++) {
            calls.succeedAfter(SLOW);
        }

        calls.assertIs(CircuitState.CLOSED);
        assertThat(calls.breaker.slowCalls()).isEqualTo(20);
    }

    @Test
    void doNotExistByDefault() throws Throwable {
        TestBreaker calls = new TestBreaker(mode, CircuitBreakerPolicy.defaults());
        for (int i = 0; i < 20; i++) {
            calls.succeedAfter(Duration.ofHours(1));
        }

        calls.assertIs(CircuitState.CLOSED);
        assertThat(calls.breaker.slowCalls()).isZero();
    }

    @Test
    void openItAgainAsAProbeThoughItSucceeds() throws Throwable {
        TestBreaker calls = slowCalls(0.5);
        openBySlowCalls(calls);
        calls.succeedAfter(LIMIT);
        calls.assertIs(CircuitState.HALF_OPEN);

        calls.succeedAfter(SLOW);

        calls.assertIs(CircuitState.OPEN);
        assertThat(calls.breaker.slowCalls()).isEqualTo(5);
        calls.assertCounted(6, 0, 0, 0);
        assertThat(calls.breaker.status().reason())
                .isEqualTo("a probe took longer than 2 s (probing 1); before that: "
                        + Rule.slowCallRate(new WindowCounts(4, 0, 4), calls.breaker.policy()));
        assertThat(calls.refused()).hasNoCause();
    }

    @Test
    void openItAgainAsTheProbeThatWouldHaveClosedIt() throws Throwable {
        TestBreaker calls = slowCalls(1);
        openBySlowCalls(calls);
        calls.succeed();

        calls.succeedAfter(SLOW);

        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void amongTheProbesDecideNothingIfTheThresholdIsZero() throws Throwable {
        TestBreaker calls = slowCalls(0);
        calls.breaker.halfOpen();

        calls.succeedAfter(SLOW);

        calls.assertIs(CircuitState.HALF_OPEN);
        assertThat(calls.breaker.slowCalls()).isEqualTo(1);
        calls.succeedAfter(SLOW);
        calls.assertIs(CircuitState.CLOSED);
    }

    @Test
    void amongTheProbesThatOutliveTheirTimeoutDecideNothing() throws Throwable {
        TestBreaker calls = slowCalls(1);
        calls.breaker.halfOpen();

        calls.succeedAfter(calls.breaker.policy().halfOpen().probeTimeout());

        calls.assertIs(CircuitState.HALF_OPEN);
        assertThat(calls.breaker.slowCalls()).isZero();
        calls.assertCounted(0, 0, 1, 0);
    }

    private static void openBySlowCalls(TestBreaker calls) throws Throwable {
        for (int i = 0; i < 4; i++) {
            calls.succeedAfter(SLOW);
        }
        calls.assertIs(CircuitState.OPEN);
        calls.time.advance(Duration.ofSeconds(30));
    }
}
