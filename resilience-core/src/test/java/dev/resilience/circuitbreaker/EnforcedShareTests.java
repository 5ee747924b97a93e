package dev.resilience.circuitbreaker;

import static dev.resilience.circuitbreaker.TestBreaker.consecutive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.event.EventPublisher;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.CallMode;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How one tries a circuit breaker before it bites: {@code enforce} is the share of refusals that is really made. */
class EnforcedShareTests {

    @ParameterizedTest
    @EnumSource
    void callsOfAnOpenBreakerAreLetThroughAndCounted(CallMode mode) throws Throwable {
        TestBreaker calls = new TestBreaker(mode, consecutive(2).enforce(0).build());
        calls.open();

        calls.succeed(3);

        calls.assertIs(CircuitState.OPEN);
        calls.assertCounted(0, 2, 0, 0);
        assertThat(wouldReject(calls)).isEqualTo(3);
        assertThat(calls.breaker.status().refused()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void callsThatAreLetThroughDoNotCloseOrOpenIt(CallMode mode) throws Throwable {
        TestBreaker calls = new TestBreaker(mode, consecutive(2).enforce(0).build());
        calls.openAndWait();
        TestBreaker.InFlight probe = calls.start();

        calls.succeed(5);
        calls.fail(5);

        calls.assertIs(CircuitState.HALF_OPEN);
        probe.succeed();
        calls.succeed();
        calls.assertIs(CircuitState.CLOSED);
        assertThat(wouldReject(calls)).isEqualTo(10);
    }

    @Test
    void callsBeyondTheRampAreLetThrough() throws Throwable {
        TestBreaker calls = new TestBreaker(
                CallMode.BLOCKING,
                consecutive(2)
                        .enforce(0)
                        .ramp(Duration.ofMinutes(1))
                        .halfOpen(new CircuitBreakerPolicy.HalfOpen(1, 1, Duration.ofSeconds(30)))
                        .build());
        calls.openAndWait();
        calls.succeed();
        calls.assertIs(CircuitState.CLOSED);

        calls.succeed(20);

        assertThat(wouldReject(calls)).isEqualTo(18);
    }

    @Test
    void theShareDecidesByChance() throws Throwable {
        AtomicInteger asked = new AtomicInteger();
        Environment environment = new Environment(
                new ManualTimeSource(),
                new EventPublisher(),
                FaultClassification.ofJdk(),
                ContextCarrier.standard(),
                () -> asked.getAndIncrement() % 4 / 4.0, // 0, 0.25, 0.5, 0.75
                null);
        CircuitBreaker breaker = new CircuitBreaker(
                "payments",
                CircuitBreakerPolicy.builder()
                        .initialState(CircuitState.OPEN)
                        .enforce(0.5)
                        .build(),
                environment);
        Pipeline pipeline = Pipeline.of(breaker);
        int refused = 0;
        for (int i = 0; i < 100; i++) {
            try {
                pipeline.call(() -> "ok");
            } catch (CircuitOpenException open) {
                refused++;
            }
        }

        assertThat(refused).isEqualTo(50);
        assertThat(breaker.calls().get(CircuitBreakerOutcome.REJECTED)).isEqualTo(50);
        assertThat(breaker.calls().get(CircuitBreakerOutcome.WOULD_REJECT)).isEqualTo(50);
        assertThat(asked).hasValue(100);
    }

    @ParameterizedTest
    @EnumSource
    void whatAnOperatorForcesOpenRefusesEveryCall(CallMode mode) {
        TestBreaker calls = new TestBreaker(mode, consecutive(2).enforce(0).build());
        calls.breaker.forceOpen();

        calls.refused();

        calls.assertCounted(0, 0, 0, 1);
    }

    @Test
    void aCallUnderWayKeepsWhatItWasLetInBy() throws Throwable {
        TestBreaker calls =
                new TestBreaker(CallMode.BLOCKING, consecutive(2).enforce(0).build());
        calls.open();
        TestBreaker.InFlight letThrough = calls.start();
        calls.breaker.reconfigure(consecutive(2).build());

        calls.refused();
        letThrough.fail();

        calls.assertIs(CircuitState.OPEN);
        calls.assertCounted(0, 2, 0, 1);
    }

    @Test
    void aShareIsARatio() {
        assertThatThrownBy(() -> CircuitBreakerPolicy.builder().enforce(50).build())
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageContaining("enforce");
    }

    private static long wouldReject(TestBreaker calls) {
        return calls.breaker.calls().get(CircuitBreakerOutcome.WOULD_REJECT);
    }
}
