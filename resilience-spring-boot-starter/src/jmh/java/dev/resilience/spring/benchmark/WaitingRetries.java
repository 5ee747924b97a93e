package dev.resilience.spring.benchmark;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.resilience.Resilience;
import dev.resilience.annotation.Retryable;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.RetryPolicy;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.RetryConfig;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import reactor.core.publisher.Mono;

/** 100,000 asynchronous calls that have failed once, and wait for an hour before they are tried again. */
public class WaitingRetries extends WaitingCalls {

    private static final int CALLS = 100_000;
    private static final Duration WAIT = Duration.ofHours(1);
    private static final RuntimeException FAILURE = new UncheckedIOException(new ConnectException("refused"));
    private static final Supplier<CompletionStage<Object>> METHOD = () -> CompletableFuture.failedFuture(FAILURE);

    @Benchmark
    public Object pipeline(Held held) {
        Backoff anHour = Backoff.builder()
                .strategy(Backoff.Strategy.FIXED)
                .baseDelay(WAIT)
                .maxDelay(WAIT)
                .jitter(Jitter.NONE)
                .build();
        RetryPolicy waiting = RetryPolicy.builder()
                .backoff(anHour)
                .budget(RetryPolicy.NO_BUDGET)
                .build();
        Pipeline retried = Pipeline.of(Resilience.create().retry("waiting", waiting));
        return held.by(CALLS, i -> retried.callAsync(METHOD));
    }

    @Benchmark
    public Object annotatedFuture(Held held) {
        return annotated(held, shop -> shop.future("item"));
    }

    @Benchmark
    public Object annotatedFutureOfResilience4j(Held held) {
        return annotated(held, shop -> shop.futureOfResilience4j("item"));
    }

    @Benchmark
    public Object annotatedMono(Held held) {
        return annotated(held, shop -> shop.mono("item").subscribe(sold -> {}, failure -> {}));
    }

    private static Object annotated(Held held, Function<Shop, Object> call) {
        try (ConfigurableApplicationContext context = MeasuredCalls.run(
                new Class<?>[] {Application.class},
                "resilience.retry.waiting.budget=none",
                "resilience.retry.waiting.backoff.strategy=fixed",
                "resilience.retry.waiting.backoff.base-delay=1h",
                "resilience.retry.waiting.backoff.max-delay=1h",
                "resilience.retry.waiting.backoff.jitter=none",
                "resilience4j.retry.instances.waiting.wait-duration=1h")) {
            Shop shop = context.getBean(Shop.class);
            return held.by(CALLS, i -> call.apply(shop));
        }
    }

    @Benchmark
    public Object resilience4j(Held held) {
        io.github.resilience4j.retry.Retry retry = io.github.resilience4j.retry.Retry.of(
                "waiting",
                RetryConfig.custom().intervalFunction(IntervalFunction.of(WAIT)).build());
        ScheduledExecutorService scheduler = daemon();
        return held.by(CALLS, i -> retry.executeCompletionStage(scheduler, METHOD));
    }

    @Benchmark
    public Object failsafe(Held held) {
        FailsafeExecutor<Object> retried = Failsafe.with(
                        dev.failsafe.RetryPolicy.builder().withDelay(WAIT).build())
                .with(daemon());
        return held.by(CALLS, i -> retried.getStageAsync(METHOD::get));
    }

    @Benchmark
    public Object reactor(Held held) {
        return held.by(
                CALLS,
                i -> Mono.fromCompletionStage(METHOD)
                        .retryWhen(reactor.util.retry.Retry.backoff(2, WAIT).jitter(0))
                        .subscribe(sold -> {}, failure -> {}));
    }

    private static ScheduledExecutorService daemon() {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** The annotated methods. */
    static class Shop {

        @Retryable("waiting")
        CompletableFuture<Object> future(String item) {
            return CompletableFuture.failedFuture(FAILURE);
        }

        @io.github.resilience4j.retry.annotation.Retry(name = "waiting")
        CompletableFuture<Object> futureOfResilience4j(String item) {
            return CompletableFuture.failedFuture(FAILURE);
        }

        @Retryable("waiting")
        Mono<Object> mono(String item) {
            return Mono.fromCompletionStage(METHOD);
        }
    }

    @EnableAutoConfiguration
    @Import(Shop.class)
    static class Application {}
}
