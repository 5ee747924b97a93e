package com.acme.orders;

import dev.resilience.annotation.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/** A type and its nested types; another annotation of the same name comes from code. */
// resilience-migration: CircuitBreakerRegistry: code that uses it stays; see 'In code' in docs/from-resilience4j.md
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

        // resilience-migration: its policy is not translated: no file has the configuration 'shared'
        @io.github.resilience4j.retry.annotation.Retry(name = "orders" + "Read", configuration = "shared")
        public String again(String id) {
            return id;
        }
    }
}
