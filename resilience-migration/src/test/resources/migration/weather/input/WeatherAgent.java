package com.acme.weather;

import java.lang.reflect.Method;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.resilience.retry.MethodRetryPredicate;

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

    @org.springframework.resilience.annotation.Retryable(value = java.io.IOException.class, maxRetries = 3, delay = 500L)
    @ConcurrencyLimit(limit = 5)
    public String execute(String city) {
        return city;
    }

    @ConcurrencyLimit(-1)
    public String unlimited() {
        return "";
    }
}
