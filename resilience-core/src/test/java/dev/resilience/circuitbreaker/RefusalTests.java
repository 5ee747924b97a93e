package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.fault.ExceptionRules;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.CallMode;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBuilder;
import dev.resilience.retry.RetryPolicy;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What a caller is told whose call was not made, and what is not concluded from it. */
@ParameterizedClass
@EnumSource(CallMode.class)
class RefusalTests {

    private final ConnectException failure = new ConnectException("secret");
    private final CallMode mode;
    private final TestBreaker calls;

    RefusalTests(CallMode mode) {
        this.mode = mode;
        this.calls = new TestBreaker(
                mode, TestBreaker.consecutive(2).openDurationMultiplier(2).build());
    }

    private void open() {
        calls.fail();
        calls.fail(failure);
    }

    @Nested
    class ItsMessage {

        @Test
        void tellsWhySinceWhenAndUntilWhen() {
            open();
            calls.time.advance(Duration.ofMillis(25_850));

            assertThat(calls.refused())
                    .hasMessage("Circuit breaker 'payments' is open: 2 calls in a row failed, the last with "
                            + "java.net.ConnectException; open since 2026-01-01T00:00:00.000Z, next probe in 4.15 s");
        }

        @Test
        void tellsOfTheProbingsThatFailed() {
            open();
            calls.time.advance(Duration.ofSeconds(30));
            calls.fail();

            assertThat(calls.refused())
                    .hasMessage("Circuit breaker 'payments' is open: a probe failed with "
                            + "java.lang.IllegalStateException (probing 1); before that: 2 calls in a row failed; "
                            + "open since 2026-01-01T00:00:00.000Z, next probe in 60 s");
        }

        @Test
        void tellsThatProbesAreUnderWay() {
            open();
            calls.time.advance(Duration.ofSeconds(30));
            calls.start();

            assertThat(calls.refused())
                    .hasMessage(
                            "Circuit breaker 'payments' is half-open and its probes are under way: 2 calls in a row "
                                    + "failed, the last with java.net.ConnectException; open since 2026-01-01T00:00:00.000Z");
        }

        @Test
        void tellsThatAnOperatorForcedIt() {
            calls.breaker.forceOpen();

            assertThat(calls.refused())
                    .hasMessage("Circuit breaker 'payments' is forced open since 2026-01-01T00:00:00.000Z, until an "
                            + "operator or the application says otherwise")
                    .hasNoCause();
        }

        @Test
        void forThePublicTellsNothingOfTheInside() {
            open();

            assertThat(calls.refused().publicMessage())
                    .isEqualTo("Circuit breaker 'payments' refused the call: it was not made");
        }
    }

    @Nested
    class ItsCause {

        @Test
        void isTheFailureThatOpened() {
            open();

            assertThat(calls.refused()).cause().isSameAs(failure);
            assertThat(calls.refused()).cause().isSameAs(failure);
        }

        @Test
        void isTheFailureOfTheLastProbe() {
            open();
            calls.time.advance(Duration.ofSeconds(30));
            IllegalStateException probesFailure = new IllegalStateException("still down");
            calls.fail(probesFailure);

            assertThat(calls.refused()).cause().isSameAs(probesFailure);
        }

        @Test
        void makesNoTransientFaultOfIt() {
            open();
            Throwable refusal = calls.refused();
            Throwable wrapped = new IllegalStateException("wrapped", refusal);
            ExceptionRules rules = new ExceptionRules(List.of(ConnectException.class), List.of());

            for (Throwable seen : List.of(refusal, wrapped)) {
                assertThat(FaultClassification.ofJdk().classify(seen, FaultClassification.TRANSIENT_STATUSES))
                        .isEqualTo(Fault.UNKNOWN);
                assertThat(rules.verdict(seen)).isNull();
                assertThat(FaultClassification.rootCause(seen)).isSameAs(refusal);
            }
        }

        @Test
        void isNoInterruptOfThisCall() {
            CircuitOpenException refusal = new CircuitOpenException(
                    "payments", Duration.ofSeconds(1), "why", false, new InterruptedException());

            assertThat(FaultClassification.isInterrupt(refusal)).isFalse();
        }

        @Test
        void isLeftOutWhenItIsSerialized() throws Exception {
            calls.fail();
            calls.fail(new Unserializable());

            CircuitOpenException copy = copyOf(calls.refused());

            assertThat(copy)
                    .hasNoCause()
                    .hasMessageContaining("the last with " + Unserializable.class.getName())
                    .hasMessageEndingWith("next probe in 30 s");
            assertThat(copy.name()).isEqualTo("payments");
            assertThat(copy.retryAfter()).isEqualTo(Duration.ofSeconds(30));
        }
    }

    @Nested
    class UnderARetryThatStandsOutside {

        private final AtomicInteger attempts = new AtomicInteger();

        private CircuitOpenException callRefused() {
            Retry retry = RetryBuilder.retry(
                            "payments",
                            RetryPolicy.builder()
                                    .maxAttempts(5)
                                    .retryOn(List.of(ConnectException.class))
                                    .backoff(Backoff.builder()
                                            .baseDelay(Duration.ZERO)
                                            .build())
                                    .build())
                    .timeSource(calls.time)
                    .build();
            return catchThrowableOfType(
                    CircuitOpenException.class,
                    () -> mode.call(Pipeline.of(retry, calls.breaker), () -> {
                        attempts.incrementAndGet();
                        throw failure;
                    }));
        }

        @Test
        void isNotRetriedThoughItsCauseIsListed() {
            open();

            CircuitOpenException refused = callRefused();

            assertThat(refused).cause().isSameAs(failure);
            assertThat(attempts).hasValue(0);
            assertThat(calls.breaker.calls().get(CircuitBreakerOutcome.REJECTED))
                    .isEqualTo(1);
        }

        @Test
        void leavesNothingOnTheCauseThatAllRefusalsShare() {
            open();

            for (int i = 0; i < 10; i++) {
                assertThat(callRefused()).cause().isSameAs(failure).hasNoSuppressedExceptions();
            }
        }
    }

    @Test
    void madeByHandSaysThatTheCallWasNotMade() {
        assertThat(new CircuitOpenException("payments", Duration.ofSeconds(7)))
                .hasMessage("Circuit breaker 'payments' refused the call: it was not made")
                .hasNoCause();
    }

    private static CircuitOpenException copyOf(CircuitOpenException exception)
            throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(exception);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (CircuitOpenException) in.readObject();
        }
    }

    @SuppressWarnings({"serial", "UnusedVariable"}) // that it cannot be serialized is its purpose
    private static final class Unserializable extends RuntimeException {

        final Object connection = new Object();
    }
}
