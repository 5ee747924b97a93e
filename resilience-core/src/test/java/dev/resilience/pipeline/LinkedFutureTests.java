package dev.resilience.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LinkedFutureTests {

    private final LinkedFuture future = new LinkedFuture();
    private final CompletableFuture<@Nullable Object> source = new CompletableFuture<>();
    private final List<String> happened = new ArrayList<>();

    @Nested
    class Awaiting {

        @Test
        void tellsHowTheOtherEnded() {
            future.await(source, future::finish);

            source.complete("result");

            assertThat(future).isCompletedWithValue("result");
        }

        @Test
        void tellsWhatAStepThrewInPlaceOfReturningAFuture() {
            IllegalStateException broken = new IllegalStateException();
            Step step = new Step() {
                @Override
                public @Nullable Object call(Invocation invocation) {
                    throw broken;
                }

                @Override
                public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
                    throw broken;
                }
            };

            future.await(step, () -> "body", future::finish);

            assertThatExceptionOfType(Exception.class).isThrownBy(future::join).withCause(broken);
        }

        @Test
        void anotherFutureAfterTheFirstCancelsTheOneAwaitedNow() {
            CompletableFuture<@Nullable Object> second = new CompletableFuture<>();
            future.await(source, (result, failure) -> future.await(second, future::finish));
            source.complete("first");

            future.cancel(true);

            assertThat(second).isCancelled();
            assertThat(source).isCompletedWithValue("first");
        }

        @Test
        void whenAlreadyCancelledCancelsTheOtherAtOnce() {
            future.cancel(true);

            future.await(source, (result, failure) -> happened.add("told"));

            assertThat(source).isCancelled();
            assertThat(happened).containsExactly("told");
        }

        @Test
        void failsWithWhatTheContinuationThrows() {
            IllegalStateException broken = new IllegalStateException();
            future.await(source, (result, failure) -> {
                throw broken;
            });

            source.complete("result");

            assertThat(future).isCompletedExceptionally();
            assertThatExceptionOfType(Exception.class).isThrownBy(future::join).withCause(broken);
        }

        @Test
        void failsWithCheckedExceptionsToo() {
            future.await(source, (result, failure) -> Sneaky.sneak(new IOException()));

            source.complete("result");

            assertThat(future).isCompletedExceptionally();
        }
    }

    @Test
    void aCancellationIsRunOnceTheFutureHasEndedAndAtOnceFromThenOn() {
        future.cancelling(() -> happened.add("first"));
        assertThat(happened).isEmpty();

        future.cancel(true);
        future.cancelling(() -> happened.add("second"));

        assertThat(happened).containsExactly("first", "second");
    }
}
