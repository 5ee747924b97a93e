package dev.resilience.concurrency;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** All layers around one callee, and what was seen of the calls from outside. */
final class Shop {

    final Bulkhead bulkhead = Resilience.create().bulkhead("soak", BulkheadPolicy.defaults());
    final CircuitBreaker breaker = Resilience.create().circuitBreaker("soak", CircuitBreakerPolicy.defaults());
    final Retry retry = Resilience.create()
            .retry(
                    "soak",
                    RetryPolicy.builder()
                            .maxAttempts(3)
                            .backoff(new Backoff(
                                    Backoff.Strategy.EXPONENTIAL,
                                    Duration.ofNanos(100_000),
                                    2,
                                    Duration.ofMillis(1),
                                    Jitter.FULL,
                                    0))
                            .budget(RetryPolicy.NO_BUDGET)
                            .build());
    final TimeLimit timeLimit = Resilience.create().timeLimit("soak", TimeLimitPolicy.defaults());
    final Pipeline pipeline = Pipeline.of(bulkhead, breaker, retry, timeLimit);
    final AtomicLong made = new AtomicLong();
    final AtomicLong cancelled = new AtomicLong();
    final AtomicLong answered = new AtomicLong();
    final AtomicLong bodies = new AtomicLong();
    final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();

    /** Returns what ends the call. */
    Runnable startCallThatLasts() {
        CompletableFuture<String> body = new CompletableFuture<>();
        pipeline.callAsync(() -> body);
        return () -> body.complete("ok");
    }
}
