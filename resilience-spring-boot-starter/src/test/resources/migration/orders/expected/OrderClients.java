package com.acme.orders;

import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/** A type and its nested types; another annotation of the same name comes from code. */
public class OrderClients {

    private final CircuitBreakerRegistry registry;

    public OrderClients(CircuitBreakerRegistry registry) {
        this.registry = registry;
    }

    <T> T inCode(Supplier<T> call) {
        io.github.resilience4j.circuitbreaker.CircuitBreaker breaker = registry.circuitBreaker("orders");
        return breaker.executeSupplier(call);
    }

    @Component
    @CircuitBreaker("orders")
    public static class Reads {

        public String read(String id) {
            Supplier<String> later = new Supplier<>() {
                @Override
                public String get() {
                    return id;
                }
            };
            return later.get();
        }

        @Retryable("orders" + "Read")
        public String again(String id) {
            return id;
        }
    }
}
