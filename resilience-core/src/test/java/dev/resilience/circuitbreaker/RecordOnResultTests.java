package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.event.CapturedLog;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.pipeline.Sneaky;
import dev.resilience.policy.CallMode;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Results that count as failures, though nothing is thrown. */
@ParameterizedClass
@EnumSource(CallMode.class)
class RecordOnResultTests {

    private final CallMode mode;
    private final TestBreaker calls;

    RecordOnResultTests(CallMode mode) {
        this.mode = mode;
        this.calls = under("bad"::equals);
    }

    private TestBreaker under(Predicate<Object> recordOnResult) {
        return new TestBreaker(
                mode,
                TestBreaker.consecutive(2)
                        .halfOpen(new HalfOpen(1, 2, Duration.ofMinutes(1)))
                        .recordOnResult(recordOnResult)
                        .build());
    }

    private void badResult() throws Throwable {
        assertThat(calls.call(() -> "bad")).isEqualTo("bad");
    }

    @Test
    void countAsFailuresAndReachTheCaller() throws Throwable {
        badResult();
        calls.succeed();
        calls.assertCounted(1, 1, 0, 0);
    }

    @Test
    void openTheBreaker() throws Throwable {
        badResult();
        calls.succeed();
        badResult();
        calls.assertIs(CircuitState.CLOSED);

        badResult();

        calls.assertIs(CircuitState.OPEN);
        assertThat(calls.breaker.status().reason()).isEqualTo("2 calls in a row failed");
        assertThat(calls.breaker.status().lastFailure()).isEqualTo("result");
        assertThat(calls.events)
                .extracting(event -> ((CircuitStateChanged) event).lastFailure())
                .containsExactly("result");
    }

    @Test
    void areNoCauseOfRefusals() throws Throwable {
        calls.fail();
        badResult();

        CircuitOpenException refused = calls.refused();

        assertThat(refused).hasNoCause();
        assertThat(refused.getMessage())
                .startsWith("Circuit breaker 'payments' is open: 2 calls in a row failed, the last by its result; ");
    }

    @Test
    void doNotHideTheTypeOfALaterException() throws Throwable {
        badResult();
        calls.fail(new ConnectException("down"));

        assertThat(calls.breaker.status().lastFailure()).isEqualTo("java.net.ConnectException: down");
        assertThat(calls.refused()).hasCauseInstanceOf(ConnectException.class);
    }

    @Test
    void ofAProbeOpenItAgain() throws Throwable {
        calls.openAndWait();

        badResult();

        calls.assertIs(CircuitState.OPEN);
        assertThat(calls.refused())
                .hasNoCause()
                .hasMessageContaining(
                        "is open: a probe failed by its result (probing 1); before that: 2 calls in a row "
                                + "failed; open since");
    }

    @Test
    void countInMetricsOnlyToo() throws Throwable {
        calls.breaker.metricsOnly();

        badResult();

        calls.assertCounted(0, 1, 0, 0);
    }

    @Test
    void areNotAskedForWhereACallThrows() {
        List<Object> asked = new ArrayList<>();
        TestBreaker asking = under(result -> asked.add(String.valueOf(result)));

        asking.fail();
        asking.fail(new IllegalArgumentException("ignored"));

        assertThat(asked).isEmpty();
        asking.assertCounted(0, 1, 1, 0);
    }

    @Test
    void mayBeNoResultAtAll() throws Throwable {
        TestBreaker none = under(result -> result == null);

        assertThat(none.<Object>call(() -> null)).isNull();

        none.assertCounted(0, 1, 0, 0);
    }

    @Test
    void goByTheRuleThatHeldWhenTheCallWasLetIn() {
        TestBreaker.InFlight early = calls.start();
        calls.breaker.reconfigure(
                TestBreaker.consecutive(2).recordOnResult("ok"::equals).build());

        early.succeed();

        calls.assertCounted(1, 0, 0, 0);
    }

    @Test
    void areSuccessesIfTheRuleIsBrokenWhichIsLoggedOnce() throws Throwable {
        TestBreaker broken = under(result -> Sneaky.sneak(new IOException("broken rule")));
        broken.breaker.halfOpen();
        try (CapturedLog log = CapturedLog.of(CircuitBreaker.class)) {
            broken.succeed(3);

            ILoggingEvent line = log.single("callback_failed");
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .isEqualTo(
                            "Circuit breaker 'payments': record-on-result failed, so the call counts as a success. Logged once.");
            assertThat(line.getThrowableProxy().getMessage()).isEqualTo("broken rule");
        }
        broken.assertIs(CircuitState.CLOSED);
        broken.assertCounted(3, 0, 0, 0);
    }
}
