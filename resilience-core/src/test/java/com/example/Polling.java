package com.example;

import dev.resilience.Resilience;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import java.time.Duration;

final class Polling {

    static Retry jobs(Resilience resilience) {
        RetryPolicy patient = RetryPolicy.builder()
                .maxAttempts(10)
                .retryIf(failure -> failure instanceof IllegalStateException)
                .retryOnResult("PENDING"::equals)
                .failWhenExhausted(true)
                .backoff(Backoff.builder()
                        .function((attempt, failure, result) -> Duration.ofSeconds(attempt))
                        .build())
                .build();
        return resilience.retry("jobs", patient);
    }
}
