package com.acme.parcels;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import java.util.concurrent.CompletableFuture;
import org.springframework.retry.support.RetrySynchronizationManager;

public class ParcelService {

    @CircuitBreaker("parcels")
    @Bulkhead("parcels")
    public String where(String id) {
        return id;
    }

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
