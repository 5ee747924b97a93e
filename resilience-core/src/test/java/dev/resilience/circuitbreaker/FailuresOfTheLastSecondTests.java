package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.event.CircuitState;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Five failures in a row open a breaker only if half of the calls of the last second failed. Its other rules are off. */
@ParameterizedClass
@EnumSource(Window.Type.class)
class FailuresOfTheLastSecondTests {

    private final Window window;
    private final TestBreaker calls;

    FailuresOfTheLastSecondTests(Window.Type type) {
        this.window = new Window(type, Duration.ofMinutes(1), 100_000);
        this.calls = new TestBreaker(CallMode.BLOCKING, policy().build());
    }

    private CircuitBreakerPolicy.Builder policy() {
        return CircuitBreakerPolicy.builder().window(window).minimumCalls(100_000);
    }

    @Test
    void aStreakOpensItWhereNoCallSucceeded() {
        calls.fail(4);
        calls.assertIs(CircuitState.CLOSED);

        calls.fail();
        calls.assertIs(CircuitState.OPEN);
        assertThat(calls.breaker.status().reason()).isEqualTo("5 calls in a row failed");
    }

    @Test
    void aStreakAmongManySuccessesLeavesItClosed() throws Throwable {
        calls.time.advance(Duration.ofHours(1));
        calls.succeed(95);

        calls.fail(94);

        calls.assertIs(CircuitState.CLOSED);
    }

    @Test
    void aStreakOpensItAsSoonAsHalfOfTheCallsFailed() throws Throwable {
        calls.time.advance(Duration.ofHours(1));
        calls.succeed(95);

        calls.fail(95);

        calls.assertIs(CircuitState.OPEN);
        assertThat(calls.breaker.status().reason()).isEqualTo("95 calls in a row failed");
    }

    @Test
    void whatSucceededASecondAgoIsForgotten() throws Throwable {
        calls.succeed(95);
        calls.fail(4);
        calls.time.advance(Duration.ofSeconds(1));

        calls.fail();

        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void whatSucceededInTheLast950MillisecondsIsNot() throws Throwable {
        for (int step = 0; step < 200; step++) { // wherever the slots begin
            TestBreaker other = new TestBreaker(CallMode.BLOCKING, policy().build());
            other.time.advance(Duration.ofMillis(step));
            other.succeed(6);
            other.time.advance(Duration.ofMillis(950));

            other.fail(5);

            other.assertIs(CircuitState.CLOSED);
        }
    }

    @Test
    void whereCallsAreRareAStreakOpensItAtOnce() throws Throwable {
        for (int call = 0; call < 1_000; call++) {
            calls.succeed();
            calls.time.advance(Duration.ofSeconds(10));
        }
        for (int call = 0; call < 5; call++) {
            calls.assertIs(CircuitState.CLOSED);
            calls.time.advance(Duration.ofSeconds(10));
            calls.fail();
        }
        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void aCalleeThatDiesUnderAThousandCallsASecondIsNoticedInHalfASecond() throws Throwable {
        for (int call = 0; call < 3_000; call++) {
            calls.succeed();
            calls.time.advance(Duration.ofMillis(1));
        }
        int failures = 0;
        while (calls.breaker.currentState() == CircuitState.CLOSED) {
            calls.fail();
            calls.time.advance(Duration.ofMillis(1));
            failures++;
        }
        assertThat(failures).isBetween(475, 500);
    }

    @Test
    void theThresholdOfTheRateIsWhatCounts() throws Throwable {
        TestBreaker tenth = new TestBreaker(
                CallMode.BLOCKING, policy().failureRateThreshold(0.1).build());
        tenth.succeed(45);
        tenth.fail(4);
        tenth.assertIs(CircuitState.CLOSED);

        tenth.fail();
        tenth.assertIs(CircuitState.OPEN);
    }

    /** Each threshold times the calls is a little more than the failures in floating point. */
    @ParameterizedTest
    @CsvSource({"0.07, 93, 7", "0.14, 43, 7", "0.28, 18, 7"})
    void aShareThatIsExactlyTheThresholdOpensIt(double threshold, int successes, int failures) throws Throwable {
        TestBreaker exact = new TestBreaker(
                CallMode.BLOCKING, policy().failureRateThreshold(threshold).build());
        exact.succeed(successes);
        exact.fail(failures - 1);
        exact.assertIs(CircuitState.CLOSED);

        exact.fail();
        exact.assertIs(CircuitState.OPEN);
    }

    @Test
    void whereThatThresholdIsZeroAStreakOpensItAtOnce() throws Throwable {
        TestBreaker off = new TestBreaker(
                CallMode.BLOCKING, policy().failureRateThreshold(0).build());
        off.succeed(1_000);

        off.fail(5);

        off.assertIs(CircuitState.OPEN);
    }

    @Test
    void aNewPolicyBeginsANewSecond() throws Throwable {
        calls.succeed(95);
        calls.breaker.reconfigure(policy().failureThreshold(6).build());

        calls.fail(6);

        calls.assertIs(CircuitState.OPEN);
    }
}
