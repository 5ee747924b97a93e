package com.example;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.RetryScheduled;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.RetryPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;

final class Payments {

    private final Pipeline gateway;

    Payments(Resilience resilience) {
        gateway = resilience
                .pipeline("gateway")
                .bulkhead(BulkheadPolicy.builder().maxConcurrent(20).build())
                .circuitBreaker(CircuitBreakerPolicy.defaults())
                .retry(RetryPolicy.builder().maxAttempts(4).build())
                .build();
    }

    String charge(URL order) throws IOException {
        return gateway.call(() -> {
            try (InputStream receipt = order.openStream()) {
                return new String(receipt.readAllBytes(), StandardCharsets.UTF_8);
            }
        });
    }

    public static void main(String[] arguments) throws IOException {
        try (Resilience resilience = Resilience.create()) {
            resilience.onEvent(RetryScheduled.class, retry -> System.out.println("again in " + retry.delay()));
            System.out.println(
                    new Payments(resilience).charge(URI.create(arguments[0]).toURL()));
        }
    }
}
