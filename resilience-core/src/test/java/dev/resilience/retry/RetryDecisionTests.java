package dev.resilience.retry;

import static dev.resilience.event.RetryOutcome.NOT_RETRYABLE;
import static dev.resilience.event.RetryOutcome.SUCCESS_AFTER_RETRY;
import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.CapturedLog;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Layer;
import dev.resilience.retry.RetryBench.HttpError;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Which failures are retried. */
@ParameterizedClass
@EnumSource
class RetryDecisionTests {

    private final RetryBench bench;

    RetryDecisionTests(CallStyle style) {
        bench = new RetryBench(style);
    }

    @Test
    void withoutListsTheClassificationDecides() {
        Retry retry = bench.retry(policy());

        assertThat(retries(retry, new ConnectException())).isTrue();
        assertThat(retries(retry, new ExecutionException(new ConnectException())))
                .isTrue();
        assertThat(retries(retry, new IllegalArgumentException())).isFalse();
        assertThat(retries(retry, new IOException())).isFalse();
    }

    @Test
    void theApplicationsClassifierIsAsked() {
        FaultClassification faults = new FaultClassification(failure -> Fault.TRANSIENT, List.of(), List.of());
        Retry retry = RetryBuilder.retry("own", policy().build())
                .faults(faults)
                .timeSource(bench.time)
                .build();

        assertThat(retries(retry, new IllegalArgumentException())).isTrue();
    }

    @Nested
    class Lists {

        @Test
        void retryOnMakesRetriedWhatIsNotTransient() {
            Retry retry = bench.retry(policy().retryOn(List.of(IOException.class, StackOverflowError.class)));

            assertThat(retries(retry, new FileNotFoundException())).isTrue();
            assertThat(retries(retry, new RuntimeException(new IOException()))).isTrue();
            assertThat(retries(retry, new StackOverflowError())).isTrue();
        }

        @Test
        void retryOnDoesNotKeepTheTransientFromBeingRetried() {
            Retry retry = bench.retry(policy().retryOn(List.of(IllegalStateException.class)));

            assertThat(retries(retry, new ConnectException())).isTrue();
        }

        @Test
        void doNotRetryOnKeepsTheTransientFromBeingRetried() {
            Retry retry = bench.retry(policy().doNotRetryOn(List.of(ConnectException.class)));

            assertThat(retries(retry, new ConnectException())).isFalse();
            assertThat(retries(retry, new RuntimeException(new ConnectException())))
                    .isFalse();
            assertThat(retries(retry, new SocketTimeoutException())).isTrue();
        }

        @Test
        void theClosestClassWinsAndDoNotRetryOnWinsATie() {
            Retry retry = bench.retry(policy().retryOn(List.of(ConnectException.class, IllegalStateException.class))
                    .doNotRetryOn(List.of(IOException.class, IllegalStateException.class)));

            assertThat(retries(retry, new ConnectException())).isTrue();
            assertThat(retries(retry, new SocketTimeoutException())).isFalse();
            assertThat(retries(retry, new IllegalStateException())).isFalse();
        }
    }

    @Nested
    class RetryUnknown {

        private final Retry retry = bench.retry(policy().retryUnknown(true));

        @Test
        void makesRetriedWhatNothingIsKnownOf() {
            assertThat(retries(retry, new IOException())).isTrue();
            assertThat(retries(retry, 501)).isTrue();
        }

        @Test
        void doesNotMakeRetriedWhatIsPermanent() {
            assertThat(retries(retry, new IllegalArgumentException())).isFalse();
            assertThat(retries(retry, new AssertionError(new IOException()))).isFalse();
            assertThat(retries(retry, new CircuitOpenException("stock", Duration.ofSeconds(30))))
                    .isFalse();
            assertThat(retries(retry, 404)).isFalse();
        }

        @Test
        void leavesTheListsTheLastWord() {
            Retry listing = bench.retry(policy().retryUnknown(true).doNotRetryOn(List.of(IOException.class)));

            assertThat(retries(listing, new FileNotFoundException())).isFalse();
        }

        @Test
        void needsNoExplanationBesideTheRetries() {
            try (CapturedLog log = CapturedLog.of(Retry.class)) {
                retries(retry, new IOException());

                assertThat(log.events().stream()
                                .map(line -> CapturedLog.pairsOf(line).get("event")))
                        .containsExactly("retry_attempt", "retry_recovered");
            }
        }
    }

    @Test
    void anUnknownFaultIsCountedAsNotRetryable() {
        Retry retry = bench.retry(policy());

        assertThat(retries(retry, new IOException())).isFalse();

        RetryBench.assertCounted(retry, NOT_RETRYABLE);
    }

    @Nested
    class RetryIf {

        @Test
        void decidesInPlaceOfTheClassification() {
            bench.retryIf = failure -> failure instanceof IllegalArgumentException;
            Retry retry = bench.retry(policy());

            assertThat(retries(retry, new IllegalArgumentException())).isTrue();
            assertThat(retries(retry, new ConnectException())).isFalse();
            assertThat(retries(bench.retry(policy().retryUnknown(true)), new IOException()))
                    .isFalse();
        }

        @Test
        void isAskedWhereNeitherListMatches() {
            List<Throwable> asked = new ArrayList<>();
            bench.retryIf = asked::add;
            Retry retry = bench.retry(
                    policy().retryOn(List.of(IOException.class)).doNotRetryOn(List.of(ConnectException.class)));
            Throwable unlisted = new IllegalStateException();

            assertThat(retries(retry, new IOException())).isTrue();
            assertThat(retries(retry, new ConnectException())).isFalse();
            assertThat(retries(retry, unlisted)).isTrue();

            assertThat(asked).containsExactly(unlisted);
        }

        @Test
        void isNotAskedAboutRefusals() {
            bench.retryIf = failure -> true;
            Throwable open = new CircuitOpenException("stock", Duration.ofSeconds(30));

            assertThat(retries(bench.retry(policy()), open)).isFalse();
            assertThat(retries(bench.retry(policy().retryOn(List.of(CircuitOpenException.class))), open))
                    .isTrue();
        }

        @Test
        void isNotAskedOfAnInterrupt() {
            bench.retryIf = failure -> true;

            assertThat(retries(bench.retry(policy()), new InterruptedException()))
                    .isFalse();

            assertThat(Thread.interrupted()).isIn(true, false); // no matter for the tests to come
        }

        @Test
        void leavesTheCallItsOwnFailureWhereItThrowsAndIsReportedOnce() {
            IllegalStateException broken = new IllegalStateException("no code");
            bench.retryIf = failure -> {
                throw broken;
            };
            Retry retry = bench.retry(policy());
            try (CapturedLog log = CapturedLog.of(Retry.class)) {
                assertThat(retries(retry, new ConnectException())).isFalse();
                assertThat(retries(retry, new ConnectException())).isFalse();

                assertThat(log.single().getLevel()).isEqualTo(Level.WARN);
                assertThat(log.single().getFormattedMessage()).contains("orders", "retry-if");
                assertThat(log.single().getThrowableProxy().getMessage()).isEqualTo("no code");
                assertThat(CapturedLog.pairsOf(log.single())).containsEntry("callback", "retry-if");
            }
        }
    }

    @Nested
    class RefusalsOfInnerLayers {

        private final Throwable open = new CircuitOpenException("stock", Duration.ofSeconds(30));
        private final Throwable full = new BulkheadFullException("stock", "no place");

        @Test
        void areNotRetried() {
            Retry retry = bench.retry(policy());

            assertThat(retries(retry, open)).isFalse();
            assertThat(retries(retry, full)).isFalse();
            assertThat(retries(retry, new IdempotencyStoreException("down", new SQLTransientException())))
                    .isFalse();
        }

        @Test
        void areRetriedWhereOnlyTheAttemptWasRefusedAndItsFaultMayPass() {
            Retry retry = bench.retry(policy());

            assertThat(retries(retry, IdempotencyStoreException.ofAttempt("not written", new SQLTransientException())))
                    .isTrue();
            assertThat(retries(retry, IdempotencyStoreException.ofAttempt("not written", new IllegalStateException())))
                    .isFalse();
            assertThat(retries(
                            retry, IdempotencyInProgressException.ofEarlierAttempt("its end", Duration.ofSeconds(1))))
                    .isTrue();
            assertThat(retries(retry, new IdempotencyInProgressException("another call", Duration.ofSeconds(1))))
                    .isFalse();
        }

        @Test
        void areNotJudgedByTheFailureOfAnotherCallThatIsTheirCause() {
            Throwable because =
                    new CircuitOpenException("stock", Duration.ofSeconds(30), "why", true, new ConnectException());
            Retry listing = bench.retry(policy().retryOn(List.of(ConnectException.class)));

            for (Throwable refusal : List.of(because, new IllegalStateException("wrapped", because))) {
                assertThat(retries(bench.retry(policy()), refusal)).isFalse();
                assertThat(retries(listing, refusal)).isFalse();
            }
        }

        @Test
        void areRetriedWhereThePolicySaysSo() {
            Retry retry = bench.retry(policy().retryOn(List.of(CircuitOpenException.class)));

            assertThat(retries(retry, open)).isTrue();
            assertThat(retries(retry, full)).isFalse();
        }

        @Test
        void areNotMeantByClassesThatAreMoreGeneral() {
            Retry retry = bench.retry(policy().retryOn(List.of(RuntimeException.class, SQLTransientException.class)));

            assertThat(retries(retry, open)).isFalse();
            assertThat(retries(retry, new IdempotencyStoreException("down", new SQLTransientException())))
                    .isFalse();
            assertThat(retries(retry, new IllegalStateException())).isTrue();
        }

        @Test
        void needNoExplanation() {
            try (CapturedLog log = CapturedLog.of(Retry.class)) {
                retries(bench.retry(policy()), open);

                assertThat(log.events()).isEmpty();
            }
        }

        @Test
        void carryTheFailuresOfTheAttemptsBeforeThem() {
            ConnectException refused = new ConnectException();
            Retry retry = bench.retry(policy());

            assertThat(catchThrowable(() -> bench.call(retry, fails(refused), fails(open))))
                    .isSameAs(open);

            assertThat(open.getSuppressed()).containsExactly(refused);
        }
    }

    @Nested
    class HttpStatuses {

        @Test
        void areThoseOfTheContract() {
            Retry retry = bench.retry(policy());

            assertThat(List.of(408, 429, 502, 503, 504)).allMatch(status -> retries(retry, status));
            assertThat(List.of(400, 401, 404, 409, 500, 501)).noneMatch(status -> retries(retry, status));
        }

        @Test
        void areReplacedByThoseOfThePolicy() {
            Retry retry = bench.retry(policy().retryOnStatus(Set.of(409)));

            assertThat(retries(retry, 409)).isTrue();
            assertThat(retries(retry, 503)).isFalse();
        }

        @Test
        void include500ForIdempotentCallsAlone() {
            Retry retry = bench.retry(policy());

            assertThat(retries(retry.forIdempotentCalls(), 500)).isTrue();
            assertThat(retries(retry.forIdempotentCalls(), 503)).isTrue();
            assertThat(retries(retry.forIdempotentCalls(), 501)).isFalse();
            assertThat(retries(retry, 500)).isFalse();
        }

        @Test
        void include500InsideOfAnIdempotentLayerIfTheCallHasItsKey() {
            Retry retry = bench.retry(policy());

            assertThat(retries(retry.insideIdempotent(), 500)).isFalse();
            IdempotencyContext.makeCurrent(new IdempotencyContext(purpose -> "key", 1, this));
            try {
                assertThat(retries(retry.insideIdempotent(), 500)).isTrue();
            } finally {
                IdempotencyContext.makeCurrent(null);
            }
        }

        @Test
        void include500ForIdempotentCallsBesideThePolicysOwn() {
            Layer idempotent = bench.retry(policy().retryOnStatus(Set.of(409))).forIdempotentCalls();

            assertThat(retries(idempotent, 409)).isTrue();
            assertThat(retries(idempotent, 500)).isTrue();
            assertThat(retries(idempotent, 503)).isFalse();
        }
    }

    @Test
    void callsOfBothKindsAreCountedTogether() {
        Retry retry = bench.retry(policy());

        retries(retry, 500);
        retries(retry.forIdempotentCalls(), 500);

        assertThat(RetryBench.counted(retry)).isEqualTo(Map.of(NOT_RETRYABLE, 1L, SUCCESS_AFTER_RETRY, 1L));
    }

    private boolean retries(Layer retry, int status) {
        return retries(retry, new HttpError(status, null));
    }

    private boolean retries(Layer retry, Throwable failure) {
        try {
            bench.call(retry, fails(failure), returns("retried"));
            return true;
        } catch (Throwable same) {
            assertThat(same).isSameAs(failure);
            return false;
        }
    }
}
