package com.acme.parcels;

import io.github.resilience4j.bulkhead.annotation.Bulkhead;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import io.github.resilience4j.timelimiter.annotation.TimeLimiter;
import java.util.concurrent.CompletableFuture;
import org.springframework.retry.annotation.Retryable;
import org.springframework.retry.support.RetrySynchronizationManager;

public class ParcelService {

    @CircuitBreaker(name = "parcels")
    @Bulkhead(name = "parcels")
    public String where(String id) {
        return id;
    }

    @RateLimiter(name = "parcels")
    public String all() {
        return "";
    }

    @TimeLimiter(name = "parcels")
    public CompletableFuture<String> track(String id) {
        return CompletableFuture.supplyAsync(() -> id);
    }

    @Retryable
    public int attempt() {
        return RetrySynchronizationManager.getContext().getRetryCount();
    }
}
