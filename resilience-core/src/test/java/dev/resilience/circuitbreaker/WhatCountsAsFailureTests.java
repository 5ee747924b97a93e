package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.CircuitState;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.TransientFault;
import dev.resilience.policy.CallMode;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class WhatCountsAsFailureTests {

    private final CallMode mode;

    WhatCountsAsFailureTests(CallMode mode) {
        this.mode = mode;
    }

    private static CircuitBreakerPolicy.Builder policy() {
        return TestBreaker.consecutive(1);
    }

    private void counts(Throwable failure, CircuitBreakerPolicy policy) {
        TestBreaker calls = new TestBreaker(mode, policy);
        calls.fail(failure);
        calls.assertIs(CircuitState.OPEN);
        calls.assertCounted(0, 1, 0, 0);
    }

    private void isIgnored(Throwable failure, CircuitBreakerPolicy policy) {
        TestBreaker calls = new TestBreaker(mode, policy);
        calls.fail(failure);
        calls.assertIs(CircuitState.CLOSED);
        calls.assertCounted(0, 0, 1, 0);
    }

    @Nested
    class ByClassification {

        @Test
        void transientAndUnknownFaultsCount() {
            counts(new ConnectException("refused"), policy().build());
            counts(new IllegalStateException("unknown"), policy().build());
            counts(new Exception("unknown"), policy().build());
            counts(new MarkedTransient(), policy().build());
        }

        @Test
        void permanentFaultsPass() {
            isIgnored(new IllegalArgumentException("the caller's fault"), policy().build());
            isIgnored(new NullPointerException("the caller's fault"), policy().build());
        }

        @Test
        void errorsPassWhateverTheirCause() {
            isIgnored(new AssertionError("broken"), policy().build());
            isIgnored(new StackOverflowError(), policy().build());
            isIgnored(new AssertionError("broken", new ConnectException("refused")), policy().build());
        }

        @Test
        void theOutermostKnownCauseDecides() {
            counts(new IllegalStateException(new SocketTimeoutException("late")), policy().build());
            isIgnored(
                    new IllegalStateException(new IllegalArgumentException(new ConnectException("refused"))),
                    policy().build());
        }

        @Test
        void refusalsOfTheLibraryPass() {
            isIgnored(new BulkheadFullException("inner", "full"), policy().build());
            isIgnored(new CircuitOpenException("inner", Duration.ofSeconds(1)), policy().build());
            isIgnored(new IdempotencyInProgressException("running", Duration.ofSeconds(1)), policy().build());
        }

        @Test
        void anInterruptPassesEvenWrapped() {
            isIgnored(new InterruptedException(), policy().build());
            isIgnored(new IllegalStateException(new InterruptedException()), policy().build());
        }

        @Test
        void aCancellationByTheCalleeCounts() {
            counts(new CancellationException("by the callee"), policy().build());
        }
    }

    /** One caller with little time must not open it for all. */
    @Test
    void aTimeLimitThatTheCallersDeadlineCutShortPassesWhateverIsListed() {
        Throwable byDeadline = new TimeLimitExceededException("slow", "the deadline came", null, true);
        isIgnored(byDeadline, policy().build());
        isIgnored(
                byDeadline,
                policy().recordOn(List.of(TimeLimitExceededException.class)).build());
        counts(new TimeLimitExceededException("slow", "took too long", null), policy().build());
    }

    @Nested
    class ByTheListsOfThePolicy {

        @Test
        void recordOnCountsWhatWouldPass() {
            CircuitBreakerPolicy policy = policy().recordOn(
                            List.of(IllegalArgumentException.class, AssertionError.class))
                    .build();

            counts(new IllegalArgumentException("listed"), policy);
            counts(new NumberFormatException("a subclass of one listed"), policy);
            counts(new AssertionError("listed"), policy);
            isIgnored(new NullPointerException("not listed"), policy);
        }

        @Test
        void recordOnCountsARefusalOfTheLibrary() {
            counts(
                    new BulkheadFullException("inner", "full"),
                    policy().recordOn(List.of(BulkheadFullException.class)).build());
        }

        @Test
        void recordOnCountsNoRefusalByAMoreGeneralClass() {
            isIgnored(
                    new BulkheadFullException("inner", "full"),
                    policy().recordOn(List.of(RuntimeException.class)).build());
        }

        @Test
        void ignoreOnPassesWhatWouldCount() {
            CircuitBreakerPolicy policy =
                    policy().ignoreOn(List.of(IOException.class)).build();

            isIgnored(new IOException("listed"), policy);
            isIgnored(new ConnectException("a subclass of one listed"), policy);
            isIgnored(new IllegalStateException(new IOException("listed, as a cause")), policy);
            counts(new IllegalStateException("not listed"), policy);
        }

        @Test
        void theClosestClassWins() {
            CircuitBreakerPolicy policy = policy().recordOn(List.of(Exception.class, FileNotFoundException.class))
                    .ignoreOn(List.of(IOException.class))
                    .build();

            counts(new FileNotFoundException("listed itself"), policy);
            isIgnored(new ConnectException("an IOException before it is an Exception"), policy);
            counts(new IllegalArgumentException("an Exception"), policy);
        }

        @Test
        void ignoreOnWinsATie() {
            isIgnored(
                    new IOException("in both"),
                    policy().recordOn(List.of(IOException.class))
                            .ignoreOn(List.of(IOException.class))
                            .build());
        }

        @Test
        void theExceptionItselfComesBeforeItsCauses() {
            counts(
                    new IOException("listed", new IllegalStateException("listed otherwise")),
                    policy().recordOn(List.of(IOException.class))
                            .ignoreOn(List.of(IllegalStateException.class))
                            .build());
        }
    }

    @Nested
    class ByTheApplicationsClassifier {

        @Test
        void theClassifierIsAskedFirst() {
            FaultClassification faults = new FaultClassification(failure -> Fault.PERMANENT, List.of(), List.of());
            TestBreaker calls = new TestBreaker(mode, policy().build(), faults);

            calls.fail(new ConnectException("refused"));

            calls.assertIs(CircuitState.CLOSED);
            calls.assertCounted(0, 0, 1, 0);
        }

        @Test
        void aClassifierThatThrowsReplacesNothing() {
            FaultClassification faults = new FaultClassification(
                    failure -> {
                        throw new IllegalStateException("broken classifier");
                    },
                    List.of(),
                    List.of());
            TestBreaker calls = new TestBreaker(mode, policy().build(), faults);

            calls.fail(new ConnectException("refused"));

            calls.assertCounted(0, 1, 0, 0);
        }
    }

    @Test
    void theMethodsOwnExceptionComesThroughAlthoughItPassed() {
        IllegalArgumentException failure = new IllegalArgumentException("the caller's fault");
        TestBreaker calls = new TestBreaker(mode, policy().build());

        assertThatThrownBy(() -> calls.call(() -> {
                    throw failure;
                }))
                .isSameAs(failure)
                .hasNoSuppressedExceptions();
    }

    @Test
    void theCallersOwnCancellationPasses() {
        TestBreaker calls = new TestBreaker(mode, policy().build());

        calls.start().cancel();

        calls.assertIs(CircuitState.CLOSED);
        calls.assertCounted(0, 0, 1, 0);
    }

    @Test
    void soDoesAnAnswerThatTheCallerGivesItself() {
        TestBreaker calls = new TestBreaker(mode, policy().build());
        CompletableFuture<String> answer = calls.start().answer();

        answer.complete("the caller knows better");

        assertThat(answer).isCompletedWithValue("the caller knows better");
        calls.assertCounted(0, 0, 1, 0);
    }

    private static final class MarkedTransient extends IllegalArgumentException implements TransientFault {}
}
