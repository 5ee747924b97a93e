package dev.resilience.circuitbreaker;

import static dev.resilience.circuitbreaker.TestBreaker.consecutive;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreakerStatus.RampUp;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** After a probing, the load comes back over ten seconds. */
@ParameterizedClass
@EnumSource(CallMode.class)
class RampTests {

    private static final Duration RAMP = Duration.ofSeconds(10);

    private final TestBreaker calls;

    RampTests(CallMode mode) {
        this.calls = new TestBreaker(mode, consecutive(1).ramp(RAMP).build());
    }

    @BeforeEach
    void closeByProbes() throws Throwable {
        assertThat(letIn(100)).as("before it was ever open").isEqualTo(100);
        calls.openAndWait();
        calls.succeed(2);
        calls.assertIs(CircuitState.CLOSED);
    }

    @Test
    void aTenthIsLetInAtFirst() throws Throwable {
        assertThat(letIn(1_000)).isEqualTo(100);
    }

    @Test
    void theFirstCallIsLetIn() throws Throwable {
        calls.succeed();
        calls.refused();
    }

    @Test
    void theShareGrowsEvenly() throws Throwable {
        for (int second = 0; second < 10; second++) {
            assertThat(letIn(1_000)).isEqualTo(100 + 90 * second);
            calls.time.advance(Duration.ofSeconds(1));
        }
        assertThat(letIn(1_000)).isEqualTo(1_000);
        assertThat(calls.breaker.status().ramp()).isNull();
    }

    @Test
    void aRefusalTellsThatItIsClosedAndUntilWhenSomeAreRefused() throws Throwable {
        calls.succeed();
        calls.time.advance(Duration.ofSeconds(1));

        CircuitOpenException refused = calls.refused();

        assertThat(refused)
                .hasMessage(
                        "Circuit breaker 'payments' is closed since 2026-01-01T00:00:30.000Z, and its load comes back"
                                + " over 10 s: all calls are let in from 2026-01-01T00:00:40.000Z; it was open before: 1 call"
                                + " failed, the last with java.lang.IllegalStateException")
                .hasNoCause()
                .returns(Duration.ofSeconds(1), CircuitOpenException::retryAfter);
        assertThat(refused.publicMessage()).isEqualTo("Circuit breaker 'payments' refused the call: it was not made");
        assertThat(calls.breaker.calls().get(CircuitBreakerOutcome.REJECTED)).isEqualTo(1);
        calls.assertIs(CircuitState.CLOSED);
    }

    @Test
    void itsStatusTellsTheShare() {
        calls.time.advance(Duration.ofSeconds(5));

        assertThat(calls.breaker.status().ramp())
                .isEqualTo(new RampUp(0.55, calls.time.now().plusSeconds(5)));
    }

    @Test
    void itsStatusCountsRefusalsSinceItOpenedAsLongAsItRefuses() throws Throwable {
        calls.succeed();
        calls.refused();
        calls.refused();
        assertThat(calls.breaker.status().refused()).isEqualTo(2);

        calls.time.advance(RAMP);

        assertThat(calls.breaker.status().refused()).isZero();
    }

    @Test
    void aFailureOpensItAsEver() {
        calls.fail();

        calls.assertIs(CircuitState.OPEN);
    }

    @Test
    void anOperatorWhoClosesItLetsAllIn() throws Throwable {
        calls.breaker.close();

        calls.succeed(100);
    }

    @Test
    void aResetLetsAllIn() throws Throwable {
        calls.breaker.reset();

        calls.succeed(100);
    }

    @Test
    void aLongerRampCountsFromWhenItClosed() throws Throwable {
        calls.time.advance(Duration.ofSeconds(9));

        calls.breaker.reconfigure(consecutive(1).ramp(Duration.ofSeconds(18)).build());

        assertThat(letIn(1_000)).isEqualTo(550);
    }

    @Test
    void aPolicyWithoutRampEndsIt() throws Throwable {
        calls.breaker.reconfigure(consecutive(1).build());

        calls.succeed(100);
    }

    private int letIn(int made) throws Throwable {
        int in = 0;
        for (int call = 0; call < made; call++) {
            try {
                calls.succeed();
                in++;
            } catch (CircuitOpenException refused) {
                // is not counted
            }
        }
        return in;
    }
}
