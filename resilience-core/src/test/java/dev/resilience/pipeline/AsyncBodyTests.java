package dev.resilience.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AsyncBodyTests {

    private final Pipeline pipeline = Pipeline.of();
    private final CompletableFuture<Object> body = new CompletableFuture<>();

    @Nested
    class TheResult {

        @Test
        void isThatOfTheBodysFuture() {
            CompletableFuture<Object> answer = pipeline.callAsync(() -> body);
            assertThat(answer).isNotDone();

            body.complete("result");

            assertThat(answer).isCompletedWithValue("result");
        }

        @Test
        void mayBeNull() {
            assertThat(pipeline.callAsync(() -> CompletableFuture.completedFuture(null)))
                    .isCompletedWithValue(null);
        }

        @Test
        void ofAStageThatIsNoCompletableFutureIsSeenToo() {
            CompletableFuture<Object> answer = pipeline.callAsync(() -> foreign(body));

            body.complete("result");

            assertThat(answer).isCompletedWithValue("result");
        }
    }

    @Nested
    class AFailure {

        private final IOException failure = new IOException();

        @Test
        void ofTheBodysFutureIsTheSameInstance() {
            body.completeExceptionally(failure);

            assertThat(failureOf(pipeline.callAsync(() -> body))).isSameAs(failure);
        }

        @Test
        void ofABodyThatThrowsInPlaceOfReturningAFutureIsAFailedFuture() {
            assertThat(failureOf(pipeline.invokeAsync(() -> {
                        throw failure;
                    })))
                    .isSameAs(failure);
        }

        @Test
        void ofABodyThatThrowsLosesItsWrapperToo() {
            assertThat(failureOf(pipeline.callAsync(() -> {
                        throw new CompletionException(failure);
                    })))
                    .isSameAs(failure);
        }

        @Test
        void thatIsAnInterruptIsLeftToTheCallersThread() {
            InterruptedException interrupt = new InterruptedException();

            assertThat(failureOf(pipeline.invokeAsync(() -> {
                        throw interrupt;
                    })))
                    .isSameAs(interrupt);

            assertThat(Thread.interrupted()).isTrue();
        }

        @Test
        void isWhatABodyThatReturnsNullOrNoFutureGets() {
            assertThat(failureOf(pipeline.callAsync(() -> null)))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("CompletionStage");
            assertThat(failureOf(pipeline.invokeAsync(() -> "no future")))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("no future");
        }

        @Test
        void losesTheWrapperThatDependentFuturesPutAroundIt() {
            CompletableFuture<Object> dependent = body.thenApply(result -> result);
            body.completeExceptionally(failure);

            assertThat(failureOf(pipeline.callAsync(() -> dependent))).isSameAs(failure);
        }

        @Test
        void thatIsAnEmptyWrapperStaysOne() {
            CompletionException empty = new CompletionException("no cause", null);
            body.completeExceptionally(empty);

            assertThat(failureOf(pipeline.callAsync(() -> body))).isSameAs(empty);
        }

        @Test
        void ofAForeignStageIsSeenToo() {
            CompletableFuture<Object> answer = pipeline.callAsync(() -> foreign(body));

            body.completeExceptionally(failure);

            assertThat(failureOf(answer)).isSameAs(failure);
        }

        @Test
        void losesEveryWrapper() {
            body.completeExceptionally(new CompletionException(new CompletionException(failure)));

            assertThat(failureOf(pipeline.callAsync(() -> body))).isSameAs(failure);
        }
    }

    @Nested
    class TheCallersEnd {

        @Test
        void byCancellationCancelsTheBody() {
            CompletableFuture<Object> answer = pipeline.callAsync(() -> body);

            assertThat(answer.cancel(true)).isTrue();

            assertThat(answer).isCancelled();
            assertThat(body).isCancelled();
        }

        @Test
        void byATimeoutOfItsOwnCancelsTheBody() {
            CompletableFuture<Object> answer = pipeline.callAsync(() -> body).orTimeout(5, TimeUnit.MILLISECONDS);

            assertThat(answer)
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(TimeoutException.class);
            assertThat(catchThrowable(() -> body.get(30, TimeUnit.SECONDS))).isInstanceOf(CancellationException.class);
        }

        @Test
        void byAnAnswerOfItsOwnCancelsTheBody() {
            CompletableFuture<Object> answer = pipeline.callAsync(() -> body);

            answer.complete("enough");

            assertThat(body).isCancelled();
            assertThat(answer).isCompletedWithValue("enough");
        }

        @Test
        void doesNotMindAStageThatCannotBeCancelled() {
            CompletableFuture<Object> answer = pipeline.callAsync(() -> foreign(body));

            assertThat(answer.cancel(true)).isTrue();

            assertThat(body).isNotDone();
            body.complete("too late");
            assertThat(answer).isCancelled();
        }

        @Test
        void afterTheBodysEndChangesNothing() {
            CompletableFuture<Object> answer = pipeline.callAsync(() -> body);
            body.complete("result");

            assertThat(answer.cancel(true)).isFalse();

            assertThat(answer).isCompletedWithValue("result");
        }
    }

    @Test
    void aBodyThatIsCancelledByItselfFailsTheCall() {
        CompletableFuture<Object> answer = pipeline.callAsync(() -> body);

        body.cancel(true);

        assertThat(failureOf(answer)).isInstanceOf(CancellationException.class);
    }

    @Test
    void futuresMadeFromTheAnswerAreOrdinaryOnes() {
        CompletableFuture<Object> answer = pipeline.callAsync(() -> body);

        CompletableFuture<String> dependent = answer.thenApply(String::valueOf);
        dependent.cancel(true);

        assertThat(dependent.getClass()).isEqualTo(CompletableFuture.class);
        assertThat(body).isNotDone();
    }

    private static @Nullable Throwable failureOf(CompletableFuture<?> future) {
        return future.handle((result, failure) -> failure).join();
    }

    /** A stage of another library, which allows no look at a future behind it. */
    @SuppressWarnings("unchecked") // a proxy has no type arguments
    private static CompletionStage<Object> foreign(CompletableFuture<Object> source) {
        return (CompletionStage<Object>) Proxy.newProxyInstance(
                AsyncBodyTests.class.getClassLoader(),
                new Class<?>[] {CompletionStage.class},
                (proxy, method, args) -> {
                    if (method.getName().equals("toCompletableFuture")) {
                        throw new UnsupportedOperationException();
                    }
                    try {
                        return method.invoke(source, args);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
