package com.acme.breakers;

import java.io.IOException;

import dev.resilience.annotation.Fallback;
import org.springframework.retry.annotation.CircuitBreaker;
import org.springframework.retry.annotation.Recover;
import org.springframework.retry.annotation.Retryable;

public class LegacyBreaker {

    // resilience-migration: a breaker of Spring Retry counts otherwise: see '@CircuitBreaker' in docs/from-spring-retry.md
    @CircuitBreaker(include = IOException.class, maxAttempts = 2, openTimeout = 5000, resetTimeout = 10000)
    public int count() throws IOException {
        return 1;
    }

    // resilience-migration: a method that stays needs it, or no method is known to have it as its answer
    @Recover
    public int none(IOException e) {
        return 0;
    }

    // resilience-migration: notRecoverable is not rewritten: these exceptions are listed in @Fallback(except = ...)
    @Retryable(notRecoverable = IllegalStateException.class)
    public short unrecovered() {
        return 1;
    }

    // resilience-migration: its @Recover methods "arithmetic" and "recover" answer for different exceptions: give them one name
    @Retryable
    public String first() {
        return "";
    }

    // resilience-migration: a method that stays needs it, or no method is known to have it as its answer
    @Recover
    public String recover(NullPointerException e) {
        return "null";
    }

    // resilience-migration: a method that stays needs it, or no method is known to have it as its answer
    @Recover
    public String arithmetic(ArithmeticException e) {
        return "arithmetic";
    }

    @dev.resilience.annotation.Retryable(multiplier = 1, retryOn = IOException.class)
    @Fallback("later")
    public long named(String id) {
        return 1;
    }

    public long later(IOException e, String id) {
        return 0;
    }
}
