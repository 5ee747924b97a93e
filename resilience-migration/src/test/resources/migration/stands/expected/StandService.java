package com.acme.stands;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Scheduled;

public class StandService {

    @CircuitBreaker("weather")
    @Fallback("noWeather")
    @Retryable(maxAttempts = 6, delay = "1s", multiplier = 1, retryOn = Exception.class)
    @Scheduled(fixedRate = 86400000)
    public void createStands() throws Exception {}

    public void noWeather(Exception e) {}

    @Retryable(
            value = "StandService.call",
            delay = "${stands.retry.initial-delay:1000}ms",
            multiplier = 2,
            retryOn = {IllegalStateException.class, Exception.class})
    public String call(String prompt) {
        return prompt;
    }
}
