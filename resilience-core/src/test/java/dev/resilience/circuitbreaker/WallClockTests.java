package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.TestBreaker.InFlight;
import dev.resilience.event.CircuitState;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody sets the clock of the machine, an hour forth or back: nothing changes but what the next probe is called. */
@ParameterizedClass
@EnumSource(CallMode.class)
class WallClockTests {

    private static final Duration OPEN = Duration.ofSeconds(30);

    private final TestBreaker calls;

    WallClockTests(CallMode mode) {
        this.calls = new TestBreaker(
                mode,
                CircuitBreakerPolicy.builder()
                        .failureThreshold(0)
                        .minimumCalls(3)
                        .slowCallDuration(Duration.ofSeconds(2))
                        .openDuration(OPEN)
                        .halfOpen(new HalfOpen(1, 1, Duration.ofSeconds(10)))
                        .build());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void neitherCallsNorOpenPeriodsNorProbesGrowOlder(int hours) throws Throwable {
        Duration jump = Duration.ofHours(hours);
        calls.fail(2);
        InFlight quick = calls.start();
        calls.time.shiftWallClock(jump);
        quick.fail();
        calls.assertIs(CircuitState.OPEN);
        assertThat(calls.breaker.slowCalls()).isZero();

        calls.time.advance(OPEN.minusNanos(1));
        calls.time.shiftWallClock(jump);
        calls.refused();

        calls.time.advance(Duration.ofNanos(1));
        InFlight probe = calls.start();
        calls.time.shiftWallClock(jump);
        calls.refused();
        probe.succeed();
        calls.assertIs(CircuitState.CLOSED);
        calls.assertCounted(1, 3, 0, 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void theNextProbeIsToldByTheClockAsItIsSetNow(int hours) {
        calls.fail(3);
        calls.time.advance(Duration.ofSeconds(10));

        calls.time.shiftWallClock(Duration.ofHours(hours));

        CircuitBreakerStatus early = calls.breaker.status();
        assertThat(early.nextProbe()).isEqualTo(calls.time.now().plusSeconds(20));
        assertThat(early.probeDue()).isFalse();
        calls.time.advance(Duration.ofSeconds(25));
        CircuitBreakerStatus late = calls.breaker.status();
        assertThat(late.nextProbe()).isEqualTo(calls.time.now().minusSeconds(5));
        assertThat(late.probeDue()).isTrue();
    }
}
