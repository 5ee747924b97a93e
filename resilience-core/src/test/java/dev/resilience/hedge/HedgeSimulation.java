package dev.resilience.hedge;

import dev.resilience.event.HedgeOutcome;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.TransactionState;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Calls that come at random, on manual time, to a backend that mostly takes about 20 ms and sometimes stalls for about a second.
 * The same seed gives the same calls and the same first latencies with and without a hedge.
 */
final class HedgeSimulation {

    private static final long SEED = 42;

    private final ManualTimeSource time = new ManualTimeSource();
    private final double perSecond;
    private final double stalls;
    private final @Nullable Hedge hedge;
    private final Pipeline pipeline;
    private final Random arrivals = new Random(SEED);
    private final Random second = new Random(SEED + 1);
    private final List<Long> latencies = new ArrayList<>();
    double slowness = 1; // what all latencies are multiplied by

    final List<Long> secondAttempts = new ArrayList<>(); // when they began, in nanoseconds; the next also
    final List<Long> ends = new ArrayList<>();
    int cancelled; // of both attempts, those that the backend need not end

    HedgeSimulation(double perSecond, double stalls, double maxExtraLoad) {
        this.perSecond = perSecond;
        this.stalls = stalls;
        RetryBudget retries = new RetryBudget("orders", RetryBudgetPolicy.defaults(), time);
        HedgePolicy policy = HedgePolicy.builder()
                .maxExtraLoad(Math.max(maxExtraLoad, Double.MIN_NORMAL))
                .sideEffectFree(true)
                .build();
        this.hedge = maxExtraLoad == 0
                ? null
                : new Hedge("orders", policy, Environment.of(time), retries, TransactionState.NONE);
        this.pipeline = hedge == null ? Pipeline.of() : Pipeline.of(hedge);
    }

    HedgeSimulation run(Duration length) {
        long end = time.nanoTime() + length.toNanos();
        while (time.nanoTime() < end) {
            time.advance(Duration.ofNanos((long) (-Math.log(1 - arrivals.nextDouble()) / perSecond * 1e9)));
            call();
        }
        return this;
    }

    private void call() {
        long start = time.nanoTime();
        Random first = new Random(arrivals.nextLong());
        boolean[] isSecond = {false};
        pipeline.callAsync(() -> {
                    if (isSecond[0]) {
                        secondAttempts.add(time.nanoTime());
                    }
                    Random luck = isSecond[0] ? second : first;
                    isSecond[0] = true;
                    return attempt(luck);
                })
                .thenRun(() -> {
                    latencies.add(time.nanoTime() - start);
                    ends.add(time.nanoTime());
                });
    }

    private CompletableFuture<String> attempt(Random luck) {
        double millis =
                luck.nextDouble() < stalls ? 500 + 1_000 * luck.nextDouble() : 20 * Math.exp(0.3 * luck.nextGaussian());
        CompletableFuture<String> answer = new CompletableFuture<>();
        time.schedule(Duration.ofNanos((long) (millis * slowness * 1e6)), () -> {
            if (!answer.complete("ok")) {
                cancelled++;
            }
        });
        return answer;
    }

    /** Forgets what has been counted, and not what the hedge has measured. */
    HedgeSimulation fromNowOn() {
        latencies.clear();
        secondAttempts.clear();
        ends.clear();
        cancelled = 0;
        return this;
    }

    long delayMillis() {
        Duration delay = hedge == null ? null : hedge.delay();
        return delay == null ? -1 : delay.toMillis();
    }

    long refused() {
        return hedge == null ? 0 : hedge.calls().get(HedgeOutcome.BUDGET_EXHAUSTED);
    }

    double extraLoad() {
        return (double) secondAttempts.size() / latencies.size();
    }

    long millis(double quantile) {
        List<Long> sorted = new ArrayList<>(latencies);
        Collections.sort(sorted);
        return Math.round(sorted.get((int) Math.ceil(quantile * sorted.size()) - 1) / 1e6);
    }

    /** The most by which second attempts exceed their share of the calls that ended in any period. */
    double mostAboveShare(double share) {
        double most = 0;
        double above = 0;
        int ended = 0;
        for (long attempt : secondAttempts) { // Lindley's recursion
            int before = ended;
            while (ended < ends.size() && ends.get(ended) < attempt) {
                ended++;
            }
            above = Math.max(0, above - share * (ended - before)) + 1;
            most = Math.max(most, above);
        }
        return most;
    }

    String row(String name) {
        return String.format(
                Locale.ROOT,
                "| %s | %d ms | %d ms | %d ms | %s | %.2f%% |",
                name,
                millis(0.5),
                millis(0.99),
                millis(0.999),
                hedge == null ? "–" : delayMillis() + " ms",
                100 * extraLoad());
    }
}
