package com.acme.parcels;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.springframework.context.event.EventListener;
import org.springframework.resilience.retry.MethodRetryEvent;

public class ParcelStates {

    String state(CircuitBreakerRegistry registry) {
        try {
            return registry.circuitBreaker("parcels").executeSupplier(() -> "closed");
        } catch (CallNotPermittedException open) {
            return "open";
        }
    }

    @EventListener
    void retried(MethodRetryEvent event) {}
}
