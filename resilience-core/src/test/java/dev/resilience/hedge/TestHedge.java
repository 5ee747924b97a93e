package dev.resilience.hedge;

import dev.resilience.context.Attempt;
import dev.resilience.event.HedgeOutcome;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.TransactionState;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A hedge on manual time, whose backend answers when a test says so. */
final class TestHedge {

    static final Duration USUAL = Duration.ofMillis(50);

    final ManualTimeSource time = new ManualTimeSource();
    final RetryBudget retries = new RetryBudget("orders", RetryBudgetPolicy.defaults(), time);
    final List<CompletableFuture<String>> attempts = new CopyOnWriteArrayList<>();
    final List<Integer> numbers = new CopyOnWriteArrayList<>();
    final Hedge hedge;
    final Pipeline pipeline;
    boolean inTransaction;

    TestHedge() {
        this(HedgePolicy.builder().sideEffectFree(true).build());
    }

    TestHedge(HedgePolicy policy) {
        TransactionState transactions = new TransactionState() {
            @Override
            public @Nullable String whyLost(@Nullable Throwable failure) {
                return null;
            }

            @Override
            public boolean isOpen() {
                return inTransaction;
            }
        };
        this.hedge = new Hedge("orders", policy, Environment.of(time), retries, transactions);
        this.pipeline = Pipeline.of(hedge);
    }

    /** Makes so many calls that are answered after a while, and lets them be measured. */
    TestHedge measured(int calls, Duration latency) {
        for (int i = 0; i < calls; i++) {
            pipeline.callAsync(() -> after(latency, "ok"));
        }
        time.advance(latency);
        return measure();
    }

    TestHedge measured() {
        return measured(1_000, USUAL);
    }

    TestHedge measure() {
        time.advance(Duration.ofSeconds(3));
        pipeline.callAsync(() -> CompletableFuture.completedFuture("ok"));
        return this;
    }

    <T> CompletableFuture<T> after(Duration latency, T answer) {
        CompletableFuture<T> future = new CompletableFuture<>();
        time.schedule(latency, () -> future.complete(answer));
        return future;
    }

    /** A call whose attempts end when a test ends them. */
    CompletableFuture<String> call() {
        return pipeline.callAsync(() -> {
            CompletableFuture<String> attempt = new CompletableFuture<>();
            Attempt current = Attempt.current();
            numbers.add(current == null ? 0 : current.number());
            attempts.add(attempt);
            return attempt;
        });
    }

    Duration delay() {
        Duration delay = hedge.delay();
        if (delay == null) {
            throw new AssertionError("Not measured");
        }
        return delay;
    }

    void secondIsDue() {
        time.advance(delay());
    }

    long count(HedgeOutcome outcome) {
        return hedge.calls().get(outcome);
    }
}
