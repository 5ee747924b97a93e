package com.acme.inventory;

import io.github.resilience4j.bulkhead.annotation.Bulkhead;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.timelimiter.annotation.TimeLimiter;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

@Component
public class InventoryClient {

    @CircuitBreaker(name = "inventory", fallbackMethod = "fallback")
    @Retry(name = "inventory")
    public Mono<Integer> stock(Long product) {
        return Mono.just(1);
    }

    private Mono<Integer> fallback(Long product, Throwable failure) {
        return Mono.just(0);
    }

    @Bulkhead(name = "inventory", type = Bulkhead.Type.THREADPOOL)
    @TimeLimiter(name = "inventory")
    @CircuitBreaker(name = "inventory")
    @Retry(name = "inventory")
    public CompletableFuture<Integer> stockLater(Long product) {
        return CompletableFuture.completedFuture(1);
    }

    @RateLimiter(name = "search", fallbackMethod = "busy")
    @Bulkhead(name = "search")
    public String search(String words) {
        return words;
    }

    String busy(String words, Throwable failure) {
        return "";
    }
}
