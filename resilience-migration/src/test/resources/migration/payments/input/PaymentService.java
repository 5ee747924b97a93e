package com.acme.payments;

import io.github.resilience4j.bulkhead.annotation.Bulkhead;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.retry.annotation.Retry;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.stereotype.Service;

@Service
public class PaymentService {

    @Retry(name = "paymentProcessing")
    @CircuitBreaker(name = "paymentProcessing")
    @ConcurrencyLimit(5)
    public String intent(String id) {
        return id;
    }

    @Bulkhead(name = "controller", fallbackMethod = "full")
    @CircuitBreaker(name = "myService", fallbackMethod = "open")
    @Retry(name = "myService", fallbackMethod = "failed")
    public String process(String id) {
        return id;
    }

    public String full(Throwable failure) { return ""; }
    public String open(Throwable failure) { return ""; }
    public String failed(Throwable failure) { return ""; }

    @CircuitBreaker(name = "#root.methodName") @Bulkhead(name = "both") public String named(String id) { return id; }
}
