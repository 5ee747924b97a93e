package com.acme.breakers;

import java.io.IOException;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import org.springframework.retry.annotation.Recover;
import org.springframework.retry.annotation.Retryable;

public class LegacyBreaker {

    @CircuitBreaker(failureThreshold = 2, failureRateThreshold = 0, openDuration = "10s")
    @Fallback("none")
    public int count() throws IOException {
        return 1;
    }

    public int none(IOException e) {
        return 0;
    }

    @Retryable
    public String first() {
        return "";
    }

    @Recover
    public String recover(NullPointerException e) {
        return "null";
    }

    @Recover
    public String arithmetic(ArithmeticException e) {
        return "arithmetic";
    }

    @dev.resilience.annotation.Retryable(multiplier = 1, retryOn = IOException.class)
    @Fallback(value = "later", except = IllegalStateException.class)
    public long named(String id) {
        return 1;
    }

    public long later(IOException e, String id) {
        return 0;
    }
}
