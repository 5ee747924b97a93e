package dev.resilience.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Asynchronous calls through layers in another order than the library's, and through two pipelines, one inside the other. */
class NestedAsyncCallsTests {

    private static final Duration WAIT = Duration.ofSeconds(1);

    private final ManualTimeSource time = new ManualTimeSource();
    private final Resilience resilience = Resilience.builder().timeSource(time).build();
    private final Bulkhead bulkhead = resilience.bulkhead(
            "b", BulkheadPolicy.builder().maxConcurrent(1).maxQueue(2).build());
    private final List<CompletableFuture<String>> bodies = new ArrayList<>();
    private final List<String> begun = new ArrayList<>();

    @AfterEach
    void close() {
        resilience.close();
    }

    private Retry retry(String name, int attempts, Duration wait) {
        return retry(name, attempts, wait, List.of());
    }

    private Retry retry(String name, int attempts, Duration wait, List<Class<? extends Throwable>> retryOn) {
        return resilience.retry(
                name,
                RetryPolicy.builder()
                        .maxAttempts(attempts)
                        .retryOn(retryOn)
                        .budget(RetryPolicy.NO_BUDGET)
                        .backoff(Backoff.builder()
                                .baseDelay(wait)
                                .multiplier(1)
                                .jitter(Jitter.NONE)
                                .build())
                        .build());
    }

    private CircuitBreaker breaker(int failures) {
        return resilience.circuitBreaker(
                "c",
                CircuitBreakerPolicy.builder()
                        .failureThreshold(failures)
                        .openDuration(WAIT.multipliedBy(3))
                        .build());
    }

    private TimeLimit limit(Duration timeout) {
        return resilience.timeLimit(
                "t", TimeLimitPolicy.builder().timeout(timeout).build());
    }

    /** The body's future stays open until the test ends it. */
    private CompletableFuture<String> call(Pipeline pipeline, String name) {
        return pipeline.callAsync(() -> {
            CompletableFuture<String> body = new CompletableFuture<>();
            begun.add(name);
            bodies.add(body);
            return body;
        });
    }

    private void end(int body, Object how) {
        if (how instanceof Throwable failure) {
            bodies.get(body).completeExceptionally(failure);
        } else {
            bodies.get(body).complete(how.toString());
        }
    }

    private static Throwable failureOf(CompletableFuture<?> answer) {
        Throwable thrown = catchThrowable(answer::join);
        return thrown instanceof CompletionException wrapped ? wrapped.getCause() : thrown;
    }

    private void assertNothingIsHeld() {
        assertThat(bulkhead.running()).as("permits").isZero();
        assertThat(bulkhead.queued()).as("queue").isZero();
    }

    @Nested
    class RetryAroundBulkhead {

        @Test
        void thePermitIsFreeDuringTheWait() {
            Pipeline pipeline = Pipeline.of(retry("r", 2, WAIT), bulkhead);
            CompletableFuture<String> first = call(pipeline, "first");
            CompletableFuture<String> second = call(pipeline, "second");

            end(0, new ConnectException("down"));
            assertThat(begun).containsExactly("first", "second");
            end(1, "done");
            time.advance(WAIT);
            end(2, "done later");

            assertThat(second).isCompletedWithValue("done");
            assertThat(first).isCompletedWithValue("done later");
            assertNothingIsHeld();
        }

        @Test
        void aRetryWithoutAWaitGoesToTheEndOfTheQueue() {
            Pipeline pipeline = Pipeline.of(retry("r", 2, Duration.ZERO), bulkhead);
            CompletableFuture<String> first = call(pipeline, "first");
            call(pipeline, "second");
            call(pipeline, "third");

            end(0, new ConnectException("down"));
            end(1, "done");
            end(2, "done");
            end(3, "done at last");

            assertThat(begun).containsExactly("first", "second", "third", "first");
            assertThat(first).isCompletedWithValue("done at last");
            assertNothingIsHeld();
        }

        @Test
        void aRefusalIsTheEndUnlessThePolicyListsIt() {
            Pipeline pipeline = Pipeline.of(retry("r", 2, WAIT), bulkhead);
            for (int i = 0; i < 3; i++) {
                call(pipeline, "call");
            }

            assertThat(failureOf(call(pipeline, "too many"))).isInstanceOf(BulkheadFullException.class);
        }

        @Test
        void aRefusalIsTriedAgainIfThePolicyListsIt() {
            Pipeline pipeline = Pipeline.of(retry("r", 2, WAIT, List.of(BulkheadFullException.class)), bulkhead);
            for (int i = 0; i < 3; i++) {
                call(pipeline, "call");
            }
            CompletableFuture<String> refused = call(pipeline, "refused at first");

            assertThat(refused).isNotDone();
            end(0, "done");
            end(1, "done");
            end(2, "done");
            time.advance(WAIT);
            end(3, "done too");

            assertThat(refused).isCompletedWithValue("done too");
            assertNothingIsHeld();
        }

        @Test
        void aCancellationInTheQueueOfALaterAttemptLeavesIt() {
            Pipeline pipeline = Pipeline.of(retry("r", 2, Duration.ZERO), bulkhead);
            CompletableFuture<String> first = call(pipeline, "first");
            call(pipeline, "second");
            end(0, new ConnectException("down"));
            assertThat(bulkhead.queued()).isEqualTo(1);

            first.cancel(false);

            assertThat(bulkhead.queued()).isZero();
            end(1, "done");
            assertThat(begun).containsExactly("first", "second");
            assertNothingIsHeld();
        }
    }

    @Nested
    class RetryAroundBreaker {

        @Test
        void aBreakerThatOpensMidwayEndsTheRetrying() {
            CircuitBreaker breaker = breaker(2);
            CompletableFuture<String> answer = call(Pipeline.of(retry("r", 5, WAIT), breaker), "call");
            end(0, new ConnectException("first"));
            time.advance(WAIT);
            end(1, new ConnectException("second"));
            time.advance(WAIT);

            assertThat(failureOf(answer))
                    .isInstanceOf(CircuitOpenException.class)
                    .satisfies(refusal -> assertThat(refusal.getSuppressed())
                            .extracting(Throwable::getMessage)
                            .containsExactly("first", "second"));
            assertThat(begun).hasSize(2);
        }

        @Test
        void aCallThatWaitsLongEnoughProbesTheBreaker() {
            CircuitBreaker breaker = breaker(1);
            Pipeline pipeline =
                    Pipeline.of(retry("r", 3, WAIT.multipliedBy(2), List.of(CircuitOpenException.class)), breaker);
            CompletableFuture<String> answer = call(pipeline, "call");
            end(0, new ConnectException("down"));
            time.advance(WAIT.multipliedBy(2));
            assertThat(breaker.calls().get(CircuitBreakerOutcome.REJECTED)).isEqualTo(1);
            time.advance(WAIT.multipliedBy(2));
            end(1, "up");

            assertThat(answer).isCompletedWithValue("up");
        }
    }

    @Nested
    class TimeLimitAround {

        @Test
        void aQueueIsLeftWhenTheTimeIsOver() {
            call(Pipeline.of(bulkhead), "running");
            CompletableFuture<String> waiting = call(Pipeline.of(limit(WAIT), bulkhead), "waiting");

            time.advance(WAIT);

            assertThat(failureOf(waiting)).isInstanceOf(TimeLimitExceededException.class);
            assertThat(bulkhead.queued()).isZero();
            end(0, "done");
            assertThat(begun).containsExactly("running");
            assertNothingIsHeld();
        }

        @Test
        void aWaitForARetryEndsWhenTheTimeIsOver() {
            CompletableFuture<String> answer =
                    call(Pipeline.of(limit(WAIT), retry("r", 3, WAIT.multipliedBy(2)), bulkhead), "call");
            end(0, new ConnectException("down"));

            time.advance(WAIT);

            assertThat(failureOf(answer)).isInstanceOfAny(TimeLimitExceededException.class, ConnectException.class);
            time.advance(Duration.ofHours(1));
            assertThat(begun).hasSize(1);
            assertNothingIsHeld();
        }

        @Test
        void aFallbackThatDoesNotAnswerIsCancelledWhenTheTimeIsOver() {
            CompletableFuture<String> fallback = new CompletableFuture<>();
            Pipeline inner = resilience
                    .pipeline("inner")
                    .fallback(failure -> fallback)
                    .bulkhead(bulkhead)
                    .build();
            CompletableFuture<String> answer = Pipeline.of(limit(WAIT)).callAsync(() -> call(inner, "call"));
            end(0, new ConnectException("down"));
            assertThat(answer).isNotDone();

            time.advance(WAIT);

            assertThat(failureOf(answer)).isInstanceOf(TimeLimitExceededException.class);
            assertThat(fallback).isCancelled();
            assertNothingIsHeld();
        }
    }

    @Nested
    class RetryAroundRetry {

        private final Pipeline inner = Pipeline.of(retry("inner", 3, WAIT), bulkhead);
        private final Pipeline outer = Pipeline.of(retry("outer", 2, WAIT));

        @Test
        void attemptsMultiply() {
            CompletableFuture<String> answer = outer.callAsync(() -> call(inner, "call"));
            for (int attempt = 0; attempt < 6; attempt++) {
                end(attempt, new ConnectException("down"));
                time.advance(WAIT);
            }

            assertThat(failureOf(answer)).isInstanceOf(ConnectException.class);
            assertThat(begun).hasSize(6);
            assertNothingIsHeld();
        }

        @ParameterizedTest
        @CsvSource({"true, false", "false, false", "true, true", "false, true"})
        void oneCancellationEndsBoth(boolean inWait, boolean interrupt) {
            CompletableFuture<String> answer = outer.callAsync(() -> call(inner, "call"));
            end(0, new ConnectException("down"));
            if (!inWait) {
                time.advance(WAIT);
            }

            answer.cancel(interrupt);

            assertThat(failureOf(answer)).isInstanceOf(CancellationException.class);
            assertThat(bodies.get(bodies.size() - 1).isCancelled()).isEqualTo(!inWait);
            time.advance(Duration.ofHours(1));
            assertThat(begun).hasSize(inWait ? 1 : 2);
            assertNothingIsHeld();
        }
    }

    @Nested
    class FallbackAround {

        /** How a body or a fallback ends: before it returns a future, or by the future. */
        @ParameterizedTest
        @ValueSource(strings = {"value", "future", "thrown", "failed"})
        void itsAnswerIsTheCallsHoweverTheBodyFails(String how) {
            Function<Throwable, Object> answer = failure -> switch (how) {
                case "value" -> "later";
                case "future" -> CompletableFuture.completedFuture("later");
                case "thrown" -> throw new IllegalStateException("no answer");
                default -> CompletableFuture.failedFuture(new IllegalStateException("no answer"));
            };
            Pipeline pipeline =
                    resilience.pipeline("f").fallback(answer).bulkhead(bulkhead).build();

            CompletableFuture<Object> failed =
                    pipeline.callAsync(() -> CompletableFuture.failedFuture(new ConnectException("down")));
            CompletableFuture<Object> thrown = pipeline.callAsync(() -> {
                throw new UncheckedIOException(new ConnectException("down"));
            });

            for (CompletableFuture<Object> call : List.of(failed, thrown)) {
                if (how.equals("value") || how.equals("future")) {
                    assertThat(call).isCompletedWithValue("later");
                } else {
                    assertThat(failureOf(call))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessage("no answer");
                }
            }
            assertNothingIsHeld();
        }
    }
}
