package com.example;

import dev.resilience.Resilience;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryFunctions;
import dev.resilience.retry.RetryPolicy;
import java.time.Duration;

final class Polling {

    static Retry jobs(Resilience resilience) {
        return resilience.retry(
                "jobs",
                RetryPolicy.builder().maxAttempts(10).failWhenExhausted(true).build(),
                RetryFunctions.none()
                        .retryIf(failure -> failure instanceof IllegalStateException)
                        .retryOnResult("PENDING"::equals)
                        .backoff((attempt, failure, result) -> Duration.ofSeconds(attempt)));
    }
}
