package com.acme.inventory;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

@Component
public class InventoryClient {

    @CircuitBreaker("inventory")
    @Fallback("fallback")
    @Retryable("inventory")
    public Mono<Integer> stock(Long product) {
        return Mono.just(1);
    }

    private Mono<Integer> fallback(Long product, Throwable failure) {
        return Mono.just(0);
    }

    @Bulkhead("inventory")
    @TimeLimit("inventory")
    @CircuitBreaker("inventory")
    @Retryable("inventory")
    public CompletableFuture<Integer> stockLater(Long product) {
        return CompletableFuture.completedFuture(1);
    }

    @RateLimiter(name = "search", fallbackMethod = "busy")
    @Bulkhead("search")
    public String search(String words) {
        return words;
    }

    String busy(String words, Throwable failure) {
        return "";
    }
}
