package com.acme.weather;

import java.lang.reflect.Method;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.resilience.retry.MethodRetryPredicate;
import dev.resilience.annotation.Bulkhead;

@EnableResilientMethods
public class WeatherAgent {

    static class OnlyIo implements MethodRetryPredicate {
        @Override
        public boolean shouldRetry(Method method, Throwable throwable) {
            return throwable instanceof java.io.IOException;
        }
    }

    @Retryable(predicate = OnlyIo.class)
    public String byPredicate() {
        return "";
    }

    @Retryable(maxRetriesString = "${weather.retries}")
    public String byProperty() {
        return "";
    }

    @dev.resilience.annotation.Retryable(
            maxAttempts = 4,
            delay = "500ms",
            multiplier = 1,
            retryOn = java.io.IOException.class)
    @Bulkhead(maxConcurrent = 5)
    public String execute(String city) {
        return city;
    }

    @ConcurrencyLimit(-1)
    public String unlimited() {
        return "";
    }
}
