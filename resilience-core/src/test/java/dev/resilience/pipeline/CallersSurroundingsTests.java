package dev.resilience.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.context.ContextCarrier;
import dev.resilience.event.RetryOutcome;
import dev.resilience.fallback.Fallback;
import dev.resilience.fallback.FallbackMethod;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.OneKey;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.RetryBuilder;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;

/** What is bound to the thread of an asynchronous call's caller is there wherever the call goes on. */
@Timeout(60)
class CallersSurroundingsTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final ThreadLocal<@Nullable String> WHO = new ThreadLocal<>();
    private static final ContextCarrier CARRIER = task -> {
        String caller = WHO.get();
        return () -> {
            String before = WHO.get();
            WHO.set(caller);
            try {
                task.run();
            } finally {
                WHO.set(before);
            }
        };
    };

    private final ManualTimeSource time = new ManualTimeSource();
    private final List<@Nullable String> seen = Collections.synchronizedList(new ArrayList<>());
    private final Backoff backoff = new Backoff(Backoff.Strategy.FIXED, SECOND, 1, SECOND, Jitter.NONE, 0);
    private final RetryBudget budget = new RetryBudget("orders", RetryBudgetPolicy.defaults(), time);
    private final Retry retry = RetryBuilder.retry(
                    "orders", RetryPolicy.builder().backoff(backoff).build())
            .timeSource(time)
            .budget(budget)
            .build();

    @AfterEach
    void clear() {
        WHO.remove();
        MDC.clear();
    }

    @Test
    void areThereInEveryAttempt() {
        CompletableFuture<String> answer = callAs("ada", () -> pipeline(retry).callAsync(failingTwice()));

        assertThat(onAnotherThread(() -> time.advance(SECOND.multipliedBy(2)))).isNull();

        assertThat(answer).isCompletedWithValue("done");
        assertThat(seen).containsExactly("ada", "ada", "ada");
    }

    @Test
    void areThoseOfTheCallAndNotOfItsEnd() {
        CompletableFuture<String> answer = callAs("ada", () -> pipeline(retry).callAsync(failingTwice()));

        callAs("bob", () -> {
            time.advance(SECOND.multipliedBy(2));
            return seen.add(WHO.get());
        });

        assertThat(answer).isCompletedWithValue("done");
        assertThat(seen).containsExactly("ada", "ada", "ada", "bob");
    }

    @Test
    void ofOneWhoHadNothingAreNothing() {
        CompletableFuture<String> answer = pipeline(retry).callAsync(failingTwice());

        callAs("bob", () -> {
            time.advance(SECOND.multipliedBy(2));
            return true;
        });

        assertThat(answer).isCompletedWithValue("done");
        assertThat(seen).containsExactly(null, null, null);
    }

    @Test
    void areTheMdcUnlessACarrierIsNamed() {
        MDC.put("order", "42");
        List<@Nullable String> orders = new ArrayList<>();
        CompletableFuture<String> answer = Pipeline.of(retry).callAsync(() -> {
            orders.add(MDC.get("order"));
            return CompletableFuture.failedFuture(new ConnectException("refused"));
        });

        assertThat(onAnotherThread(() -> time.advance(SECOND.multipliedBy(2)))).isNull();

        assertThat(answer).isCompletedExceptionally();
        assertThat(orders).containsExactly("42", "42", "42");
    }

    @Test
    void areThereInAFallbackOfAnAttemptThatFailedElsewhere() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> answer =
                callAs("ada", () -> pipeline(fallback()).callAsync(() -> stage));

        onAnotherThread(() -> stage.completeExceptionally(new ConnectException("refused")));

        assertThat(answer).isCompletedWithValue("instead");
        assertThat(seen).containsExactly("ada");
    }

    @Test
    void areThereAfterAWaitForABulkhead() throws Exception {
        Bulkhead bulkhead = Resilience.create()
                .bulkhead("orders", BulkheadPolicy.builder().maxConcurrent(1).build());
        CompletableFuture<String> first = new CompletableFuture<>();
        pipeline(bulkhead).callAsync(() -> first);
        CompletableFuture<String> answer =
                callAs("ada", () -> pipeline(bulkhead).callAsync(this::seesItself));

        first.complete("first");

        assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(seen).containsExactly("ada");
    }

    @Test
    void areThereAfterAWaitForAnotherCallWithTheKey() {
        IdempotencyPolicy waiting = IdempotencyPolicy.builder()
                .onInProgress(IdempotencyPolicy.OnInProgress.WAIT)
                .build();
        Layer idempotent = new Idempotency("orders", waiting, new MemoryIdempotencyStore(time), Environment.of(time))
                .protecting(new OneKey());
        CompletableFuture<String> first = new CompletableFuture<>();
        pipeline(idempotent).callAsync(() -> first);
        CompletableFuture<String> answer =
                callAs("ada", () -> pipeline(idempotent).callAsync(this::seesItself));

        first.completeExceptionally(new ConnectException("the key is free again"));
        assertThat(onAnotherThread(() -> time.advance(SECOND))).isNull();

        assertThat(answer).isCompletedWithValue("done");
        assertThat(seen).containsExactly("ada");
    }

    @Test
    void areGoneInWhatOthersDoWhenTheCallEnds() {
        CompletableFuture<String> answer = callAs("ada", () -> pipeline(retry).callAsync(failingTwice()));
        CompletableFuture<Boolean> told = answer.thenApply(done -> seen.add(WHO.get()));

        callAs("bob", () -> {
            time.advance(SECOND.multipliedBy(2));
            return true;
        });

        assertThat(told).isCompleted();
        assertThat(seen).containsExactly("ada", "ada", "ada", "bob");
    }

    @Test
    void thatCannotBePutInPlaceFailTheCallAndRunNothing() {
        ContextCarrier broken = task -> () -> {
            throw new IllegalStateException("cannot be put in place");
        };
        CompletableFuture<String> answer = Pipeline.of(List.of(retry), broken).callAsync(failingTwice());

        time.advance(SECOND);

        assertThat(answer)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .withMessage("cannot be put in place");
        assertThat(seen).hasSize(1);
        assertThat(retry.calls().get(RetryOutcome.INTERRUPTED)).isEqualTo(1);
        assertThat(budget.available()).isEqualTo(99);
    }

    @Test
    void thatCannotBeTakenAlongFailTheCall() {
        ContextCarrier broken = task -> {
            throw new IllegalStateException("cannot be taken along");
        };

        assertThat(Pipeline.of(List.of(retry), broken).callAsync(failingTwice()))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .withMessage("cannot be taken along");
        assertThat(seen).hasSize(1); // the attempt on the caller's thread
    }

    @Test
    void ofACarrierThatForgetsItsTaskFailTheCall() {
        CompletableFuture<String> answer =
                Pipeline.of(List.of(retry), task -> () -> {}).callAsync(failingTwice());

        time.advance(SECOND);

        assertThat(answer)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .withMessageContaining("did not run the task");
    }

    @Test
    void areThereOnceForACarrierThatRunsItsTaskTwice() {
        ContextCarrier twice = task -> () -> {
            task.run();
            task.run();
        };
        CompletableFuture<String> answer = Pipeline.of(List.of(retry), twice).callAsync(failingTwice());

        time.advance(SECOND.multipliedBy(2));

        assertThat(answer).isCompletedWithValue("done");
        assertThat(seen).hasSize(3);
    }

    @Test
    void thatCannotBeTakenBackDoNotFailTheCall() {
        ContextCarrier broken = task -> () -> {
            task.run();
            throw new IllegalStateException("cannot be taken back");
        };
        CompletableFuture<String> answer = Pipeline.of(List.of(retry), broken).callAsync(failingTwice());

        time.advance(SECOND.multipliedBy(2));

        assertThat(answer).isCompletedWithValue("done");
    }

    private static Pipeline pipeline(Layer layer) {
        return Pipeline.of(List.of(layer), CARRIER);
    }

    private Supplier<CompletionStage<String>> failingTwice() {
        int[] attempts = new int[1];
        return () -> {
            seen.add(WHO.get());
            return ++attempts[0] < 3
                    ? CompletableFuture.failedFuture(new ConnectException("refused"))
                    : CompletableFuture.completedFuture("done");
        };
    }

    private CompletionStage<String> seesItself() {
        seen.add(WHO.get());
        return CompletableFuture.completedFuture("done");
    }

    private Fallback fallback() {
        FallbackMethod method = new FallbackMethod() {
            @Override
            public boolean answers(Throwable failure) {
                return true;
            }

            @Override
            public Object answer(Invocation invocation, Throwable failure) {
                seen.add(WHO.get());
                return CompletableFuture.completedFuture("instead");
            }
        };
        return new Fallback("Orders.place", method, time);
    }

    private static <T> T callAs(String who, Supplier<T> call) {
        WHO.set(who);
        try {
            return call.get();
        } finally {
            WHO.remove();
        }
    }

    /** Returns what is left there afterwards. */
    private static @Nullable String onAnotherThread(Runnable action) {
        return CompletableFuture.supplyAsync(() -> {
                    action.run();
                    return WHO.get();
                })
                .join();
    }
}
