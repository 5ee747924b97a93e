package com.acme.cart;

import java.io.IOException;
import java.util.List;

import dev.resilience.annotation.Fallback;
import org.springframework.retry.annotation.Retryable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class CartService {

    static final int ATTEMPTS = 4;
    static final long DELAY = 250;

    @Transactional
    // as agreed
    @dev.resilience.annotation.Retryable(
            maxAttempts = 5,
            delay = "500ms",
            multiplier = 2,
            retryOn = {IOException.class, IllegalStateException.class},
            doNotRetryOn = {IllegalArgumentException.class})
    @Fallback("noItems")
    public List<String> items(final String user, int page) throws IOException {
        return List.of(user);
    }

    @dev.resilience.annotation.Retryable(multiplier = 1, retryUnknown = true)
    public void touch(String user) {}

    @dev.resilience.annotation.Retryable(
            maxAttempts = ATTEMPTS,
            delay = DELAY + "ms",
            multiplier = 1.5,
            maxDelay = (10 * DELAY) + "ms",
            retryOn = Exception.class)
    public void save(String user) {}

    @dev.resilience.annotation.Retryable(delay = "5ms", multiplier = 1, retryUnknown = true)
    @Fallback("notReserved")
    public String reserve(String user) {
        return user;
    }

    // resilience-migration: ${cart.retry.delay} was a number of ms, and is read as one: if its value has a unit, remove 'ms'
    @dev.resilience.annotation.Retryable(
            value = "CartService.total",
            delay = "${cart.retry.delay}ms",
            retryUnknown = true)
    public int total(String user) {
        return 1;
    }

    // resilience-migration: maxAttemptsExpression is neither a number nor one ${placeholder}; expressions are not evaluated here
    @Retryable(maxAttemptsExpression = "#{@cartLimits.attempts}", stateful = true)
    public int odd(String user) {
        return 1;
    }

    public List<String> noItems(IOException failure, String user) {
        return List.of();
    }

    public String notReserved(Throwable failure) {
        return "";
    }
}
