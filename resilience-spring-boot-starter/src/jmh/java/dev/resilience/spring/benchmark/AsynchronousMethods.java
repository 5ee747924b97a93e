package dev.resilience.spring.benchmark;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/**
 * Retry, breaker and bulkhead around an annotated method that returns a stage which has ended, a {@code Mono} with a value,
 * and one without end whose subscriber cancels: through this library and through Resilience4j.
 */
public class AsynchronousMethods extends MeasuredCalls {

    private Market ours;
    private Market resilience4j;

    @Setup
    public void start() {
        start(Application.class);
        ours = bean(Ours.class);
        resilience4j = bean(Resilience4j.class);
    }

    @Benchmark
    public Object stage() {
        return ours.stage();
    }

    @Benchmark
    public Object stageOfResilience4j() {
        return resilience4j.stage();
    }

    @Benchmark
    public void mono(Blackhole blackhole) {
        ours.mono().subscribe(blackhole::consume);
    }

    @Benchmark
    public void monoOfResilience4j(Blackhole blackhole) {
        resilience4j.mono().subscribe(blackhole::consume);
    }

    @Benchmark
    public void cancelled() {
        ours.endless().subscribe().dispose();
    }

    @Benchmark
    public void cancelledOfResilience4j() {
        resilience4j.endless().subscribe().dispose();
    }

    static class Market {

        private static final CompletionStage<Object> STAGE = CompletableFuture.completedFuture(new Object());
        private static final Mono<Object> MONO = Mono.just(new Object());
        private static final Mono<Object> ENDLESS = Mono.never();

        public CompletionStage<Object> stage() {
            return STAGE;
        }

        public Mono<Object> mono() {
            return MONO;
        }

        public Mono<Object> endless() {
            return ENDLESS;
        }
    }

    @Bulkhead("default")
    @CircuitBreaker("default")
    @Retryable("default")
    static class Ours extends Market {}

    /** Its aspects see the methods of annotated classes only, not what these inherit. */
    @io.github.resilience4j.bulkhead.annotation.Bulkhead(name = "default")
    @io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker(name = "default")
    @io.github.resilience4j.retry.annotation.Retry(name = "default")
    static class Resilience4j extends Market {

        @Override
        public CompletionStage<Object> stage() {
            return super.stage();
        }

        @Override
        public Mono<Object> mono() {
            return super.mono();
        }

        @Override
        public Mono<Object> endless() {
            return super.endless();
        }
    }

    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Ours ours() {
            return new Ours();
        }

        @Bean
        Resilience4j resilience4j() {
            return new Resilience4j();
        }
    }
}
