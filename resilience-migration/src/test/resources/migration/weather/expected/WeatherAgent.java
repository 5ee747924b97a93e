package com.acme.weather;

import java.lang.reflect.Method;

import dev.resilience.annotation.Bulkhead;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.resilience.retry.MethodRetryPredicate;

// resilience-migration: MethodRetryPredicate: code that uses it stays; see 'In code' in docs/from-spring-framework.md
// resilience-migration: annotations that stay need it
@EnableResilientMethods
public class WeatherAgent {

    static class OnlyIo implements MethodRetryPredicate {
        @Override
        public boolean shouldRetry(Method method, Throwable throwable) {
            return throwable instanceof java.io.IOException;
        }
    }

    // resilience-migration: predicate is not rewritten: write 'retry-if' in its place: it is the name of a Predicate<Throwable> bean
    @Retryable(predicate = OnlyIo.class)
    public String byPredicate() {
        return "";
    }

    // resilience-migration: maxRetries is not rewritten: write 'max-attempts' in its place: it counts the first call too
    @Retryable(maxRetriesString = "${weather.retries}")
    public String byProperty() {
        return "";
    }

    @dev.resilience.annotation.Retryable(
            maxAttempts = 4,
            delay = "500ms",
            multiplier = 1,
            retryOn = java.io.IOException.class)
    @Bulkhead(value = "WeatherAgent.execute", maxConcurrent = 5, maxQueue = 2147483647)
    public String execute(String city) {
        return city;
    }

    // resilience-migration: a limit of -1 is none: remove the annotation
    @ConcurrencyLimit(-1)
    public String unlimited() {
        return "";
    }
}
