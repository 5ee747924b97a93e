package com.acme.parcels;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.springframework.context.event.EventListener;
import org.springframework.resilience.retry.MethodRetryEvent;

// resilience-migration: CallNotPermittedException: what is protected by this library throws dev.resilience.exception.CircuitOpenException instead
// resilience-migration: CircuitBreakerRegistry: code that uses it stays; see 'In code' in docs/from-resilience4j.md
// resilience-migration: MethodRetryEvent: code that uses it stays; see 'In code' in docs/from-spring-framework.md
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
