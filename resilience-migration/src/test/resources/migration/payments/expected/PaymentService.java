package com.acme.payments;

import dev.resilience.annotation.Retryable;
import io.github.resilience4j.bulkhead.annotation.Bulkhead;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.retry.annotation.Retry;
import org.springframework.stereotype.Service;

@Service
public class PaymentService {

    @Retryable("paymentProcessing")
    @dev.resilience.annotation.CircuitBreaker("paymentProcessing")
    @dev.resilience.annotation.Bulkhead(value = "PaymentService.intent", maxConcurrent = 5, maxQueue = 2147483647)
    public String intent(String id) {
        return id;
    }

    // resilience-migration: one @Fallback answers for a method, and these are named: "failed", "full", "open"
    @Bulkhead(name = "controller", fallbackMethod = "full")
    // resilience-migration: one @Fallback answers for a method, and these are named: "failed", "full", "open"
    @CircuitBreaker(name = "myService", fallbackMethod = "open")
    // resilience-migration: one @Fallback answers for a method, and these are named: "failed", "full", "open"
    @Retry(name = "myService", fallbackMethod = "failed")
    public String process(String id) {
        return id;
    }

    public String full(Throwable failure) { return ""; }
    public String open(Throwable failure) { return ""; }
    public String failed(Throwable failure) { return ""; }

    // resilience-migration: a policy's name is a literal or a ${placeholder}, not an expression
    @CircuitBreaker(name = "#root.methodName") @dev.resilience.annotation.Bulkhead("both") public String named(String id) { return id; }
}
