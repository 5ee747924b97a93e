package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.TestBreaker.InFlight;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A probing that decides nothing for as long as {@code half-open.max-duration}. */
@ParameterizedClass
@EnumSource(CallMode.class)
class LongestProbingTests {

    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final Duration OPEN = Duration.ofSeconds(30);

    private final CallMode mode;
    private final TestBreaker calls;

    LongestProbingTests(CallMode mode) {
        this.mode = mode;
        this.calls = new TestBreaker(mode, policy(LONGEST).build());
    }

    private static CircuitBreakerPolicy.Builder policy(Duration longest) {
        return TestBreaker.consecutive(1)
                .openDurationMultiplier(2)
                .openDuration(OPEN)
                .halfOpen(new HalfOpen(1, 2, Duration.ofDays(1), longest));
    }

    @BeforeEach
    void beginTheProbing() {
        calls.openAndWait();
    }

    @Test
    void isOverAtThatVeryMomentAndNotBefore() {
        calls.start();
        calls.time.advance(LONGEST.minusNanos(1));
        calls.refused();
        calls.assertIs(CircuitState.HALF_OPEN);

        calls.time.advance(Duration.ofNanos(1));
        calls.refused();
        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void staysHalfOpenUntilTheNextCall() {
        calls.start();
        calls.time.advance(LONGEST.multipliedBy(10));

        calls.assertIs(CircuitState.HALF_OPEN);
    }

    @Test
    void countsAsOneThatFailed() {
        calls.start();
        calls.time.advance(LONGEST);

        assertThat(calls.refused().retryAfter()).isEqualTo(OPEN.multipliedBy(2));
        assertThat(calls.breaker.status().failedProbes()).isEqualTo(1);
        assertThat(calls.breaker.status().reason())
                .isEqualTo("probing for 60 s decided nothing (probing 1); before that: 1 call failed");
        assertThat(calls.breaker.status().lastFailure()).isEqualTo("java.lang.IllegalStateException");
        assertThat(calls.refused()).hasNoCause();
    }

    /** What is left of the open period counts from the end of the probing, not from the call that notices it. */
    @Test
    void opensItFromThenOn() {
        calls.start();
        calls.time.advance(LONGEST.plusSeconds(10));

        assertThat(calls.refused().retryAfter()).isEqualTo(Duration.ofSeconds(50));
        assertThat(calls.events)
                .filteredOn(CircuitStateChanged.class::isInstance)
                .last()
                .isEqualTo(new CircuitStateChanged(
                        Instant.parse("2026-01-01T00:01:30Z"),
                        "payments",
                        CircuitState.HALF_OPEN,
                        CircuitState.OPEN,
                        "probing for 60 s decided nothing (probing 1); before that: 1 call failed",
                        "java.lang.IllegalStateException",
                        1,
                        Instant.parse("2026-01-01T00:02:30Z")));
    }

    @Test
    void ofABreakerWithoutCallsIsFollowedByAProbeAndNotByARefusal() throws Throwable {
        calls.succeed();
        calls.time.advance(Duration.ofHours(8));

        calls.succeed();
        calls.assertIs(CircuitState.HALF_OPEN);
        calls.succeed();
        calls.assertIs(CircuitState.CLOSED);
        calls.assertCounted(3, 1, 0, 0);
        assertThat(calls.breaker.transitions(CircuitState.OPEN, CircuitState.HALF_OPEN))
                .isEqualTo(2);
    }

    @Test
    void isNotRescuedByAProbeThatSucceedsAfterIt() {
        InFlight first = calls.start();
        calls.time.advance(LONGEST);

        first.succeed();

        calls.assertIs(CircuitState.OPEN);
        calls.assertCounted(1, 1, 0, 0);
        assertThat(calls.breaker.status().reason()).startsWith("probing for 60 s decided nothing");
    }

    @Test
    void doesNotBeginItsOpenPeriodAnewWithAProbeThatFailsAfterIt() {
        InFlight late = calls.start();
        calls.time.advance(LONGEST.plusSeconds(10));

        late.fail();

        assertThat(calls.refused().retryAfter()).isEqualTo(Duration.ofSeconds(50));
        calls.assertCounted(0, 2, 0, 1);
    }

    @Test
    void isNotEndedByAProbeThatSaysNothing() throws Throwable {
        InFlight late = calls.start();
        calls.time.advance(LONGEST);

        late.cancel();

        calls.assertIs(CircuitState.HALF_OPEN);
    }

    @Test
    void countsFromTheBeginningOfTheProbingAlsoUnderAnotherPolicy() {
        calls.start();
        calls.time.advance(LONGEST);
        calls.breaker.reconfigure(policy(LONGEST.plusSeconds(1)).build());
        calls.start();
        calls.assertIs(CircuitState.HALF_OPEN);

        calls.time.advance(Duration.ofSeconds(1));

        calls.refused();
        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void beginsAnewByHand() {
        calls.start();
        calls.time.advance(LONGEST.minusNanos(1));

        calls.breaker.halfOpen();
        calls.time.advance(LONGEST.minusNanos(1));
        calls.start();

        calls.assertIs(CircuitState.HALF_OPEN);
    }

    @Test
    void hasNoEndByDefault() throws Throwable {
        TestBreaker byDefault = new TestBreaker(mode, TestBreaker.consecutive(1).build());
        byDefault.openAndWait();
        byDefault.succeed();
        byDefault.time.advance(Duration.ofDays(365));

        byDefault.succeed();

        byDefault.assertIs(CircuitState.CLOSED);
    }
}
