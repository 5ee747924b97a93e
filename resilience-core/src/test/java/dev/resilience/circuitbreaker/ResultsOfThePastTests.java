package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.TestBreaker.InFlight;
import dev.resilience.event.CircuitState;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A result is counted whenever it comes, and decides nothing but about the state that admitted its call. */
@ParameterizedClass
@EnumSource(CallMode.class)
class ResultsOfThePastTests {

    private final TestBreaker calls;

    ResultsOfThePastTests(CallMode mode) {
        this.calls = new TestBreaker(
                mode,
                TestBreaker.consecutive(2)
                        .halfOpen(new HalfOpen(1, 2, Duration.ofMinutes(1)))
                        .build());
    }

    /** A call that is admitted while CLOSED and ends in the middle of the next probing, after its first success. */
    private void overtakenByAProbing(Throwable failure) throws Throwable {
        try {
            calls.call(() -> {
                calls.openAndWait();
                InFlight probe = calls.start();
                probe.succeed();
                calls.assertIs(CircuitState.HALF_OPEN);
                if (failure instanceof Exception thrown) {
                    throw thrown;
                }
                return "ok";
            });
        } catch (IllegalStateException thrown) {
            assertThat(thrown).isSameAs(failure);
        }
    }

    @Test
    void aSlowSuccessFromBeforeIsNoSuccessOfAProbe() throws Throwable {
        overtakenByAProbing(null);

        calls.assertIs(CircuitState.HALF_OPEN);
        calls.assertCounted(2, 2, 0, 0);
        calls.succeed();
        calls.assertIs(CircuitState.CLOSED);
    }

    @Test
    void aSlowFailureFromBeforeIsNoFailureOfAProbe() throws Throwable {
        overtakenByAProbing(new IllegalStateException("down, long ago"));

        calls.assertIs(CircuitState.HALF_OPEN);
        calls.assertCounted(1, 3, 0, 0);
        calls.succeed();
        calls.assertIs(CircuitState.CLOSED);
    }

    @Test
    void aSlowCallFromBeforeHoldsNoPlaceOfAProbe() {
        calls.start();
        calls.openAndWait();

        calls.start();

        calls.refused();
        calls.assertIs(CircuitState.HALF_OPEN);
    }

    @Test
    void aSlowFailureFromBeforeSaysNothingOnceItHasClosedAgain() throws Throwable {
        InFlight first = calls.start();
        InFlight second = calls.start();
        calls.openAndWait();
        calls.succeed(2);
        calls.assertIs(CircuitState.CLOSED);

        first.fail();
        second.fail();

        calls.assertIs(CircuitState.CLOSED);
        calls.fail();
        calls.assertIs(CircuitState.CLOSED);
    }

    @Test
    void aSlowSuccessFromBeforeBreaksNoSeriesOfFailures() throws Throwable {
        InFlight early = calls.start();
        calls.openAndWait();
        calls.succeed(2);
        calls.fail();

        early.succeed();

        calls.fail();
        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void manyFailuresThatComeTooLateOpenOnlyOnce() {
        InFlight[] under = {calls.start(), calls.start(), calls.start(), calls.start()};

        for (InFlight call : under) {
            call.fail();
        }

        calls.assertIs(CircuitState.OPEN);
        calls.assertCounted(0, 4, 0, 0);
        assertThat(calls.breaker.transitions(CircuitState.CLOSED, CircuitState.OPEN))
                .isEqualTo(1);
    }

    @Test
    void aProbeOfAnEarlierProbingSaysNothingInALaterOne() {
        calls.openAndWait();
        InFlight early = calls.start();
        calls.breaker.forceOpen();
        calls.breaker.close();
        calls.openAndWait();
        InFlight probe = calls.start();

        early.fail();
        calls.assertIs(CircuitState.HALF_OPEN);
        calls.refused();

        probe.succeed();
        calls.assertIs(CircuitState.HALF_OPEN);
    }

    @Test
    void nothingUndoesWhatAnOperatorDid() throws Throwable {
        calls.openAndWait();
        InFlight probe = calls.start();
        calls.breaker.forceOpen();
        probe.succeed();
        calls.assertIs(CircuitState.FORCED_OPEN);

        calls.breaker.close();
        calls.fail();
        InFlight failing = calls.start();
        calls.breaker.disable();
        failing.fail();
        calls.assertIs(CircuitState.DISABLED);
    }

    @Test
    void whatWasAdmittedWhileDisabledIsNeverCounted() {
        calls.breaker.disable();
        InFlight first = calls.start();
        InFlight second = calls.start();
        calls.breaker.close();

        first.fail();
        second.fail();

        calls.assertIs(CircuitState.CLOSED);
        calls.assertCounted(0, 0, 0, 0);
    }
}
