package com.acme.inventory;

import dev.resilience.annotation.*;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

@Component
public class InventoryClient {

    // resilience-migration: the fallback stood inside of the retry, which retried nothing; here it is outermost
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

    // resilience-migration: rate limits are not translated: write @RateLimit and resilience.rate-limit
    @RateLimiter(name = "search", fallbackMethod = "busy")
    @Bulkhead("search")
    public String search(String words) {
        return words;
    }

    String busy(String words, Throwable failure) {
        return "";
    }
}
