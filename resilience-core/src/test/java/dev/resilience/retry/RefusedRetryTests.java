package dev.resilience.retry;

import static dev.resilience.event.RetryOutcome.BUDGET_EXHAUSTED;
import static dev.resilience.event.RetryOutcome.EXHAUSTED;
import static dev.resilience.event.RetryOutcome.NOT_RETRYABLE;
import static dev.resilience.event.RetryOutcome.OUT_OF_TIME;
import static dev.resilience.event.RetryOutcome.SUCCESS_AFTER_RETRY;
import static dev.resilience.retry.RetryBench.assertCounted;
import static dev.resilience.retry.RetryBench.classification;
import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.exception.RetryExhaustedException;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.InContext;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.retry.RetryBench.HttpError;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code X-Resilience-Retry: no}: which answers are not repeated because of it, and which failures are answered with it. */
@ParameterizedClass
@EnumSource
class RefusedRetryTests {

    private final RetryBench bench;
    private final HttpError refusing = new HttpError(503, "1", true);
    private final ConnectException down = new ConnectException("refused");

    RefusedRetryTests(CallStyle style) {
        bench = new RetryBench(style);
    }

    @Nested
    class AnAnswerThatRefusesRetries {

        @Test
        void isNotRepeatedWhateverItsStatus() {
            for (int status : new int[] {408, 429, 500, 502, 503, 504}) {
                Retry retry = bench.retry(policy());

                call(retry, new HttpError(status, null, true));

                assertCounted(retry, NOT_RETRYABLE);
                assertThat(retry.attempts()).isZero();
            }
        }

        @Test
        void isNotRepeatedWhereUnknownFailuresAre() {
            Retry retry = bench.retry(policy().retryUnknown(true));

            call(retry, new HttpError(500, null, true));

            assertCounted(retry, NOT_RETRYABLE);
        }

        @Test
        void isNotRepeatedBesideAnIdempotencyKey() {
            Retry retry = bench.retry(policy());

            call(retry.forIdempotentCalls(), new HttpError(500, null, true));

            assertCounted(retry, NOT_RETRYABLE);
        }

        @Test
        void isFoundAmongTheCauses() {
            Retry retry = bench.retry(policy());

            call(retry, new IllegalStateException(refusing));

            assertCounted(retry, NOT_RETRYABLE);
        }

        @Test
        void isRepeatedWhereThePolicyOrTheApplicationSaysSo() throws Throwable {
            assertIsRepeated(bench.retry(policy().retryOn(List.of(HttpError.class))));
            bench.faults = classification(failure -> failure == refusing ? Fault.TRANSIENT : Fault.UNKNOWN);
            assertIsRepeated(bench.retry(policy()));
            bench.faults = classification(failure -> Fault.UNKNOWN);
            bench.retryIf = failure -> failure == refusing;
            assertIsRepeated(bench.retry(policy()));
        }

        @Test
        void isOtherwiseAsTransientAsItsStatus() {
            assertThat(bench.faults.classify(refusing, FaultClassification.TRANSIENT_STATUSES))
                    .isEqualTo(Fault.TRANSIENT);
            assertThat(bench.faults.classify(new HttpError(500, null, true), FaultClassification.TRANSIENT_STATUSES))
                    .isEqualTo(Fault.UNKNOWN);
        }

        private void assertIsRepeated(Retry retry) throws Throwable {
            assertThat(bench.call(retry, fails(refusing), returns("result"))).isEqualTo("result");
            assertCounted(retry, SUCCESS_AFTER_RETRY);
        }
    }

    @Nested
    class AFailureRefusesRetries {

        @Test
        void whenTheAttemptsOfItsCallAreMade() {
            Retry retry = bench.retry(policy());

            call(retry, down, down, down);

            assertCounted(retry, EXHAUSTED);
            assertThat(bench.faults.refusesRetry(down)).isTrue();
            assertThat(bench.faults.refusesRetry(new IllegalStateException(new RuntimeException(down))))
                    .isTrue();
            assertThat(bench.faults.refusesRetry(new ConnectException("refused")))
                    .as("an equal one of another call")
                    .isFalse();
        }

        @Test
        void whenTheBudgetDoesNotAllowAnAttempt() {
            RetryBudgetPolicy one = RetryBudgetPolicy.builder()
                    .maxRatio(0)
                    .minRetriesPerSecond(1)
                    .window(Duration.ofSeconds(1))
                    .build();
            RetryBudget budget = new RetryBudget("one", one, bench.time);
            assertThat(budget.tryAcquire()).isTrue();
            bench.budget = budget;
            Retry retry = bench.retry(policy());

            call(retry, down);

            assertCounted(retry, BUDGET_EXHAUSTED);
            assertThat(bench.faults.refusesRetry(down)).isTrue();
        }

        @Test
        void whenThereIsNoTimeForAnAttempt() {
            Retry retry = bench.retry(policy().maxDuration(Duration.ofMillis(500)));

            call(retry, down);

            assertCounted(retry, OUT_OF_TIME);
            assertThat(bench.faults.refusesRetry(down)).isTrue();
        }

        @Test
        void whenAResultStillAsksForAnotherAttempt() {
            bench.retryOnResult = result -> true;
            Retry retry = bench.retry(policy().failWhenExhausted(true));

            Throwable failure = catchThrowable(() -> bench.call(retry, returns("no"), returns("no"), returns("no")));

            assertThat(failure).isInstanceOf(RetryExhaustedException.class);
            assertThat(bench.faults.refusesRetry(failure)).isTrue();
        }

        @Test
        void whenItIsAnAnswerThatRefusesThem() {
            assertThat(bench.faults.refusesRetry(refusing)).isTrue();
            assertThat(bench.faults.refusesRetry(new IllegalStateException(refusing)))
                    .isTrue();
            assertThat(bench.faults.refusesRetry(new HttpError(503, "1"))).isFalse();
        }
    }

    @Nested
    class AFailureDoesNotRefuseRetries {

        @Test
        void whereNothingWasTriedBecauseItIsPermanent() {
            IllegalArgumentException permanent = new IllegalArgumentException();

            call(bench.retry(policy()), permanent);

            assertThat(bench.faults.refusesRetry(permanent)).isFalse();
        }

        @Test
        void whereThePolicyHasOneAttempt() {
            call(bench.retry(policy().maxAttempts(1)), down);

            assertThat(bench.faults.refusesRetry(down)).isFalse();
        }

        @Test
        void whereRetryingIsLeftToTheServiceThatCalls() {
            Retry inner = bench.retry(policy().nested(RetryPolicy.Nested.SUPPRESS));
            Attempt second = Attempt.of("the retry of another service", 2, null);

            call(next -> new InContext(new CallContext(null, second)).around(inner.around(next)), down);

            assertCounted(inner, EXHAUSTED);
            assertThat(bench.faults.refusesRetry(down)).isFalse();
        }

        @Test
        void whereTheApplicationEnds() {
            Retry retry = bench.retry(policy());
            retry.close();

            call(retry, down);

            assertThat(bench.faults.refusesRetry(down)).isFalse();
        }
    }

    @Test
    void aFailureIsKnownByIdentityWhateverItsClassMakesOfEquality() {
        Retry retry = bench.retry(policy().retryUnknown(true));
        SameAsAll failure = new SameAsAll();

        assertThat(call(retry, failure, failure, failure)).isSameAs(failure);
        assertThat(bench.faults.refusesRetry(failure)).isTrue();
        assertThat(bench.faults.refusesRetry(new SameAsAll())).isFalse();
    }

    @Test
    void onlyTheLastFailuresAreRemembered() {
        bench.faults.giveUp(down);
        List<Throwable> more = Stream.generate(Exception::new).limit(10_000).collect(Collectors.toList());
        more.forEach(bench.faults::giveUp);

        assertThat(bench.faults.refusesRetry(down)).isFalse();
        assertThat(bench.faults.refusesRetry(more.get(9_999))).isTrue();
    }

    private Throwable call(Layer retry, Throwable... failures) {
        Invocation[] script = new Invocation[failures.length];
        for (int i = 0; i < script.length; i++) {
            script[i] = fails(failures[i]);
        }
        return catchThrowable(() -> bench.call(retry, script));
    }

    /** Its {@code hashCode} must not even be asked: in a data class it may need a session of the database. */
    private static final class SameAsAll extends Exception {

        @Override
        public int hashCode() {
            throw new IllegalStateException("no session");
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof SameAsAll;
        }
    }
}
