package com.acme.stands;

import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.Retryable;
import org.springframework.scheduling.annotation.Scheduled;

public class StandService {

    @CircuitBreaker(name = "weather", fallbackMethod = "noWeather")
    @Retryable(retryFor = Exception.class, maxAttempts = 6, backoff = @Backoff(delay = 1000))
    @Scheduled(fixedRate = 86400000)
    public void createStands() throws Exception {}

    public void noWeather(Exception e) {}

    @Retryable(
            value = {IllegalStateException.class, Exception.class},
            maxAttemptsExpression = "${stands.retry.max-attempts:3}",
            backoff = @Backoff(delayExpression = "${stands.retry.initial-delay:1000}", multiplier = 2))
    public String call(String prompt) {
        return prompt;
    }
}
