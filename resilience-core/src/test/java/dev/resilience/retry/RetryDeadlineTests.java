package dev.resilience.retry;

import static dev.resilience.event.RetryOutcome.EXHAUSTED;
import static dev.resilience.event.RetryOutcome.NOT_RETRYABLE;
import static dev.resilience.event.RetryOutcome.OUT_OF_TIME;
import static dev.resilience.event.RetryOutcome.SUCCESS_AFTER_RETRY;
import static dev.resilience.retry.RetryBench.assertCounted;
import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.fixed;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static dev.resilience.retry.RetryBench.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.context.Deadline;
import dev.resilience.event.RetryScheduled;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;
import dev.resilience.retry.RetryBench.HttpError;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class RetryDeadlineTests {

    private final RetryBench bench;
    private final ConnectException refused = new ConnectException("refused");

    RetryDeadlineTests(CallStyle style) {
        bench = new RetryBench(style);
    }

    @Test
    void noAttemptIsMadeAfterTheDeadline() {
        Retry retry = bench.retry(policy());

        Throwable seen = callWithin(Duration.ZERO, retry, returns("never"));

        assertThat(seen).isInstanceOf(DeadlineExceededException.class);
        assertThat(bench.attempts).isEmpty();
        assertCounted(retry, OUT_OF_TIME);
    }

    @Test
    void noWaitIsBegunThatDoesNotEndBeforeTheDeadline() {
        Retry retry = bench.retry(policy());

        Throwable seen = callWithin(Duration.ofSeconds(1), retry, fails(refused));

        assertThat(seen).isSameAs(refused).hasNoSuppressedExceptions();
        assertThat(bench.time.elapsed()).isZero();
        assertCounted(retry, OUT_OF_TIME);
    }

    @Test
    void aWaitThatEndsBeforeItIsMade() throws Throwable {
        Retry retry = bench.retry(policy());

        Object result =
                within(Duration.ofSeconds(1).plusNanos(1), () -> bench.call(retry, fails(refused), returns("result")));

        assertThat(result).isEqualTo("result");
        assertThat(bench.attempts).containsExactly(seconds(0, 1));
        assertCounted(retry, SUCCESS_AFTER_RETRY);
    }

    @Test
    void theTimeThatAttemptsTakeCounts() {
        ConnectException second = new ConnectException("refused again");
        Retry retry = bench.retry(policy());

        Throwable seen = callWithin(
                Duration.ofSeconds(4),
                retry,
                lasting(Duration.ofSeconds(1), refused),
                lasting(Duration.ofSeconds(1), second));

        assertThat(seen).isSameAs(second).hasSuppressedException(refused);
        assertThat(bench.attempts).containsExactly(seconds(0, 2));
        assertThat(bench.time.elapsed()).as("nobody slept in the end").isEqualTo(Duration.ofSeconds(3));
        assertCounted(retry, OUT_OF_TIME);
    }

    @Test
    void aHintBeyondItEndsTheRetryingAtOnce() {
        HttpError busy = new HttpError(503, "5");
        Retry retry = bench.retry(policy());

        Throwable seen = callWithin(Duration.ofSeconds(5), retry, fails(busy));

        assertThat(seen).isSameAs(busy);
        assertThat(bench.time.elapsed()).isZero();
        assertCounted(retry, OUT_OF_TIME);
    }

    @Test
    void aResultThatAsksForAnotherTryIsReturnedWhenThereIsNoTime() throws Throwable {
        bench.retryOnResult = "pending"::equals;
        Retry retry = bench.retry(policy());

        Object result = within(Duration.ofSeconds(1), () -> bench.call(retry, returns("pending")));

        assertThat(result).isEqualTo("pending");
        assertCounted(retry, OUT_OF_TIME);
    }

    @Test
    void everyAttemptSeesIt() throws Throwable {
        Deadline deadline = Deadline.in(Duration.ofDays(1), bench.time);
        List<@Nullable Deadline> seen = new ArrayList<>();
        Invocation failing = () -> {
            seen.add(Deadline.current());
            throw refused;
        };

        deadline.call(() -> catchThrowable(() -> bench.call(bench.retry(policy()), failing, failing, failing)));

        assertThat(seen).containsExactly(deadline, deadline, deadline);
        assertThat(Deadline.current()).isNull();
    }

    @Test
    void listingTheRefusalDoesNotMakeTime() {
        Retry retry =
                bench.retry(policy().retryOn(List.of(ResilienceException.class, DeadlineExceededException.class)));

        assertThat(callWithin(Duration.ZERO, retry, returns("never"))).isInstanceOf(DeadlineExceededException.class);

        assertThat(bench.time.elapsed()).isZero();
        assertCounted(retry, OUT_OF_TIME);
    }

    @Test
    void aWaitThatTakesLongerThanItShouldCostsNoRetry() {
        Retry retry = bench.retry(policy());
        bench.events.add(event -> {
            if (event instanceof RetryScheduled) {
                bench.time.advance(Duration.ofSeconds(2)); // the thread is kept busy before it waits
            }
        });

        Throwable seen = callWithin(Duration.ofMillis(2_500), retry, fails(refused));

        assertThat(seen).isSameAs(refused).hasNoSuppressedExceptions();
        assertThat(retry.attempts()).isZero();
        assertCounted(retry, OUT_OF_TIME);
    }

    /** A deadline of the method's own making, inside the call. */
    @Test
    void thatOfAnotherCallIsAFailureLikeAnyOther() {
        DeadlineExceededException inner = new DeadlineExceededException("of another call");
        Retry plain = bench.retry(policy());
        Retry listing = bench.retry(policy().retryOn(List.of(DeadlineExceededException.class)));

        Throwable seen = catchThrowable(() -> bench.call(plain, fails(refused), fails(inner)));
        assertThat(seen).isSameAs(inner).hasSuppressedException(refused);
        assertCounted(plain, NOT_RETRYABLE);

        assertThat(catchThrowable(() -> bench.call(listing, fails(inner), fails(inner), fails(inner))))
                .isSameAs(inner);
        assertCounted(listing, EXHAUSTED);
    }

    @Test
    void waitingInALineUntilItComesLeavesTheFailureInHand() {
        Retry retry = bench.retry(policy());
        Layer full = next -> retry.around(new TakesTime(next, Duration.ZERO) {
            private boolean first = true;

            @Override
            void take() {
                if (!first) {
                    bench.time.advance(Duration.ofSeconds(60));
                    throw new DeadlineExceededException("in line");
                }
                first = false;
            }
        });

        Throwable seen = callWithin(Duration.ofSeconds(5), full, fails(refused));

        assertThat(seen).isSameAs(refused);
        assertCounted(retry, OUT_OF_TIME);
    }

    /** Such as a wait in a layer between the retry and the method. */
    @Test
    void anAttemptThatComesTooLateLeavesTheFailureInHand() {
        Retry retry = bench.retry(policy());
        Layer slow = next -> new TakesTime(next, Duration.ofSeconds(2));

        Throwable seen = callWithin(Duration.ofSeconds(5), next -> retry.around(slow.around(next)), fails(refused));

        assertThat(seen).isSameAs(refused).hasNoSuppressedExceptions();
        assertThat(bench.attempts).as("attempts that reached the method").hasSize(1);
        assertCounted(retry, OUT_OF_TIME);
    }

    @Test
    void anAttemptThatComesTooLateLeavesTheResultInHand() throws Throwable {
        bench.retryOnResult = "pending"::equals;
        Retry retry = bench.retry(policy());
        Layer slow = next -> new TakesTime(next, Duration.ofSeconds(2));

        Object result = within(
                Duration.ofSeconds(5), () -> bench.call(next -> retry.around(slow.around(next)), returns("pending")));

        assertThat(result).isEqualTo("pending");
        assertCounted(retry, OUT_OF_TIME);
    }

    @Test
    void withoutDelayThereIsARetryAsLongAsThereIsTime() throws Throwable {
        Retry retry = bench.retry(policy().backoff(fixed(Duration.ZERO)));

        Object result = within(Duration.ofNanos(1), () -> bench.call(retry, fails(refused), returns("result")));

        assertThat(result).isEqualTo("result");
    }

    private Invocation lasting(Duration duration, Throwable failure) {
        return () -> {
            bench.time.advance(duration);
            throw failure;
        };
    }

    private Throwable callWithin(Duration left, Layer retry, Invocation... script) {
        return catchThrowable(() -> within(left, () -> bench.call(retry, script)));
    }

    private @Nullable Object within(Duration left, Invocation call) throws Throwable {
        return Deadline.in(left, bench.time).call(() -> {
            try {
                return call.proceed();
            } catch (Exception | Error thrown) {
                throw thrown;
            } catch (Throwable thrown) {
                throw new AssertionError(thrown);
            }
        });
    }

    private class TakesTime extends Step {

        private final Step next;
        private final Duration duration;

        TakesTime(Step next, Duration duration) {
            this.next = next;
            this.duration = duration;
        }

        @Override
        public @Nullable Object call(Invocation invocation) throws Throwable {
            take();
            return next.call(invocation);
        }

        void take() {
            bench.time.advance(duration);
        }

        @Override
        public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
            try {
                take();
            } catch (DeadlineExceededException late) {
                return CompletableFuture.failedFuture(late);
            }
            return next.callAsync(invocation);
        }
    }
}
