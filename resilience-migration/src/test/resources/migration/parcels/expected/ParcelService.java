package com.acme.parcels;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import java.util.concurrent.CompletableFuture;
import org.springframework.retry.support.RetrySynchronizationManager;

// resilience-migration: RetrySynchronizationManager: code that uses it stays; see 'In code' in docs/from-spring-retry.md
public class ParcelService {

    // resilience-migration: CallNotPermittedException is handled, and code uses CircuitBreakerRegistry
    @CircuitBreaker(name = "parcels")
    @Bulkhead("parcels")
    public String where(String id) {
        return id;
    }

    // resilience-migration: rate limits are not translated: write @RateLimit and resilience.rate-limit
    @RateLimiter(name = "parcels")
    public String all() {
        return "";
    }

    @TimeLimit("parcels")
    public CompletableFuture<String> track(String id) {
        return CompletableFuture.supplyAsync(() -> id);
    }

    @Retryable(multiplier = 1, retryUnknown = true)
    public int attempt() {
        return RetrySynchronizationManager.getContext().getRetryCount();
    }
}
