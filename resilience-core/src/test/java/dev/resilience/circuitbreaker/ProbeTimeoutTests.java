package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.TestBreaker.InFlight;
import dev.resilience.event.CircuitState;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class ProbeTimeoutTests {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final CallMode mode;
    private final TestBreaker calls;

    ProbeTimeoutTests(CallMode mode) {
        this.mode = mode;
        this.calls = new TestBreaker(
                mode,
                TestBreaker.consecutive(1).halfOpen(new HalfOpen(1, 2, TIMEOUT)).build());
    }

    @BeforeEach
    void open() {
        calls.openAndWait();
    }

    @Test
    void givesThePlaceBack() throws Throwable {
        calls.start();
        calls.time.advance(TIMEOUT.minusNanos(1));
        calls.refused();

        calls.time.advance(Duration.ofNanos(1));
        calls.succeed();
    }

    @Test
    void countsNeitherWay() throws Throwable {
        calls.start();
        calls.time.advance(TIMEOUT);

        calls.succeed();
        calls.assertIs(CircuitState.HALF_OPEN);
        calls.succeed();
        calls.assertIs(CircuitState.CLOSED);
        calls.assertCounted(2, 1, 0, 0);
    }

    @Test
    void changesNothingUntilTheNextCall() {
        calls.start();
        calls.time.advance(Duration.ofDays(1));

        calls.assertIs(CircuitState.HALF_OPEN);
        calls.assertCounted(0, 1, 0, 0);
    }

    @Test
    void makesALateSuccessIgnored() throws Throwable {
        InFlight late = calls.start();
        calls.time.advance(TIMEOUT);

        late.succeed();

        calls.assertCounted(0, 1, 1, 0);
        calls.succeed();
        calls.assertIs(CircuitState.HALF_OPEN);
    }

    @Test
    void makesALateFailureIgnored() {
        InFlight late = calls.start();
        calls.time.advance(TIMEOUT);

        late.fail();

        calls.assertIs(CircuitState.HALF_OPEN);
        calls.assertCounted(0, 1, 1, 0);
    }

    @Test
    void leavesAnAnswerJustInTimeItsEffect() {
        InFlight inTime = calls.start();
        calls.time.advance(TIMEOUT.minusNanos(1));

        inTime.fail();

        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void keepsALateAnswerFromTakingItsSuccessorsPlaceAway() {
        InFlight late = calls.start();
        calls.time.advance(TIMEOUT);
        InFlight successor = calls.start();

        late.succeed();
        calls.refused();
        successor.fail();

        calls.assertIs(CircuitState.OPEN);
        calls.assertCounted(0, 2, 1, 1);
    }

    @Test
    void countsALateCancellationOnce() {
        InFlight late = calls.start();
        calls.time.advance(TIMEOUT);

        late.cancel();

        calls.assertIs(CircuitState.HALF_OPEN);
        calls.assertCounted(0, 1, 1, 0);
    }

    @Test
    void appliesToProbesThatTakeLongThemselves() throws Throwable {
        calls.succeedAfter(TIMEOUT);

        calls.assertIs(CircuitState.HALF_OPEN);
        calls.assertCounted(0, 1, 1, 0);
    }

    @Test
    void givesEveryPlaceBack() throws Throwable {
        TestBreaker three = new TestBreaker(
                mode,
                TestBreaker.consecutive(1).halfOpen(new HalfOpen(3, 3, TIMEOUT)).build());
        three.openAndWait();
        for (int i = 0; i < 3; i++) {
            three.start();
        }
        three.refused();
        three.time.advance(TIMEOUT);

        three.start().succeed();
        three.start().succeed();
        three.start().succeed();

        three.assertIs(CircuitState.CLOSED);
    }
}
