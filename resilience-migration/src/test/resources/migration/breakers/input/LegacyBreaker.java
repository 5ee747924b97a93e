package com.acme.breakers;

import java.io.IOException;
import org.springframework.retry.annotation.CircuitBreaker;
import org.springframework.retry.annotation.Recover;
import org.springframework.retry.annotation.Retryable;

public class LegacyBreaker {

    @CircuitBreaker(include = IOException.class, maxAttempts = 2, openTimeout = 5000, resetTimeout = 10000)
    public int count() throws IOException {
        return 1;
    }

    @Recover
    public int none(IOException e) {
        return 0;
    }

    @Retryable(notRecoverable = IllegalStateException.class)
    public short unrecovered() {
        return 1;
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

    @Retryable(retryFor = IOException.class, recover = "later")
    public long named(String id) {
        return 1;
    }

    @Recover
    public long later(IOException e, String id) {
        return 0;
    }
}
