package dev.resilience.fallback;

import static dev.resilience.event.FallbackOutcome.FAILURE;
import static dev.resilience.event.FallbackOutcome.SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.TimeSource;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AsyncFallbackTests {

    private final CompletableFuture<Object> body = new CompletableFuture<>();
    private final CompletableFuture<Object> answer = new CompletableFuture<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final Fallback fallback = new Fallback(
            "OrderService.place",
            new FallbackMethod() {
                @Override
                public boolean answers(Throwable failure) {
                    return true;
                }

                @Override
                public @Nullable Object answer(Invocation invocation, Throwable failure) {
                    asked.incrementAndGet();
                    return answer;
                }
            },
            TimeSource.system());
    private final CompletableFuture<Object> call = Pipeline.of(fallback).callAsync(() -> body);

    @Test
    void theCallEndsWhenTheAnswerOfTheFallbackIsThere() {
        body.completeExceptionally(new IOException());
        assertThat(call).isNotDone();
        assertThat(fallback.calls().total()).isZero();

        answer.complete("fallback");

        assertThat(call).isCompletedWithValue("fallback");
        assertThat(fallback.calls().get(SUCCESS)).isOne();
    }

    @Test
    void anAnswerThatFailsLaterIsCountedAsAFailure() {
        body.completeExceptionally(new IOException());

        answer.completeExceptionally(new IllegalStateException());

        assertThat(call).isCompletedExceptionally();
        assertThat(fallback.calls().get(FAILURE)).isOne();
        assertThat(fallback.calls().total()).isOne();
    }

    @Test
    void cancellingTheCallCancelsTheBodyAndAsksNoFallback() {
        call.cancel(true);

        assertThat(body).isCancelled();
        assertThat(asked).hasValue(0);
        assertThat(fallback.calls().total()).isZero();
    }

    @Test
    void cancellingTheCallCancelsTheRunningFallback() {
        body.completeExceptionally(new IOException());

        call.cancel(true);

        assertThat(answer).isCancelled();
    }

    @Test
    void aBodyThatIsCancelledByItselfIsAFailureLikeAnother() {
        answer.complete("fallback");

        body.cancel(true);

        assertThat(call).isCompletedWithValue("fallback");
    }
}
