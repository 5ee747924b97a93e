package dev.resilience.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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

    @ParameterizedTest
    @MethodSource("endsFromOutside")
    void whatIsStoppedIsStoppedBeforeAnybodyHearsOfIt(Consumer<LinkedFuture> end) {
        future.cancelling(() -> happened.add("stopped, and " + (future.isOver() ? "over" : "not over")));
        CompletableFuture<Boolean> heard = future.handle((result, failure) -> happened.add("heard"));

        end.accept(future);

        assertThat(heard).isCompleted();
        assertThat(happened).containsExactly("stopped, and over", "heard");
    }

    static List<Consumer<LinkedFuture>> endsFromOutside() {
        return List.of(
                future -> future.cancel(true),
                future -> future.complete("the caller knows better"),
                future -> future.completeExceptionally(new IllegalStateException()));
    }

    @Test
    void whatComesWhileItIsStoppedComesTooLate() {
        future.cancelling(() -> future.finish("late", null));

        assertThat(future.cancel(true)).isTrue();

        assertThat(future).isCancelled();
        assertThat(future.cancel(true)).isTrue();
        assertThat(future.complete("later")).isFalse();
    }

    @Test
    void aFutureThatCannotBeStoppedEndsAllTheSame() {
        future.cancelling(() -> {
            throw new IllegalStateException("of the action");
        });

        assertThatThrownBy(() -> future.cancel(true)).hasMessage("of the action");

        assertThat(future).isCancelled();
    }

    @Test
    void aSupplierThatCompletesItStopsWhatItWaitsForToo() {
        future.await(source, future::finish);

        future.completeAsync(() -> "the caller knows better", Runnable::run);

        assertThat(source).isCancelled();
        assertThat(future).isCompletedWithValue("the caller knows better");
    }

    @Test
    void whatIsAwaitedOnceASupplierHasCompletedItIsStoppedAtOnce() {
        future.completeAsync(() -> "the caller knows better", Runnable::run);

        assertThat(future.isOver()).isTrue();
        future.await(source, future::finish);
        assertThat(source).isCancelled();
    }

    @Test
    void anEndByItselfStopsNothing() {
        future.cancelling(() -> happened.add("stopped"));

        future.finish("result", null);
        future.cancel(true);

        assertThat(happened).isEmpty();
        assertThat(future).isCompletedWithValue("result");
    }

    @ParameterizedTest
    @MethodSource("ends")
    void onceItHasEndedItLetsGoOfTheCall(Consumer<LinkedFuture> end) {
        WeakReference<Object> call = stopsACall(future);

        end.accept(future);

        await().untilAsserted(() -> {
            System.gc();
            assertThat(call.refersTo(null)).isTrue();
        });
        assertThat(future).isDone();
    }

    static List<Consumer<LinkedFuture>> ends() {
        List<Consumer<LinkedFuture>> all = new ArrayList<>(endsFromOutside());
        all.add(future -> future.finish("result", null));
        all.add(future -> future.finish(null, new IllegalStateException()));
        all.add(future -> future.completeAsync(() -> "the caller knows better", Runnable::run));
        return all;
    }

    private static WeakReference<Object> stopsACall(LinkedFuture future) {
        Object call = new Object();
        future.cancelling(() -> assertThat(call).isNotNull());
        return new WeakReference<>(call);
    }
}
