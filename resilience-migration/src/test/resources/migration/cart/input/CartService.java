package com.acme.cart;

import java.io.IOException;
import java.util.List;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.Recover;
import org.springframework.retry.annotation.Retryable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class CartService {

    static final int ATTEMPTS = 4;
    static final long DELAY = 250;

    @Transactional
    @Retryable(
            retryFor = {IOException.class, IllegalStateException.class},
            maxAttempts = 5, // as agreed
            backoff = @Backoff(delay = 500, multiplier = 2),
            noRetryFor = {IllegalArgumentException.class})
    public List<String> items(final String user, int page) throws IOException {
        return List.of(user);
    }

    @Retryable
    public void touch(String user) {}

    @Retryable(value = Exception.class, maxAttempts = ATTEMPTS, backoff = @Backoff(delay = DELAY, maxDelay = 10 * DELAY, multiplier = 1.5))
    public void save(String user) {}

    @Retryable(backoff = @Backoff(5))
    public String reserve(String user) {
        return user;
    }

    @Retryable(
            maxAttemptsExpression = "${cart.retry.max-attempts:3}",
            backoff = @Backoff(delayExpression = "#{${cart.retry.delay}}", multiplierExpression = "${cart.retry.multiplier:2.0}"))
    public int total(String user) {
        return 1;
    }

    @Retryable(maxAttemptsExpression = "#{@cartLimits.attempts}", stateful = true)
    public int odd(String user) {
        return 1;
    }

    @Recover
    public List<String> noItems(IOException failure, String user) {
        return List.of();
    }

    @Recover
    public String notReserved(Throwable failure) {
        return "";
    }
}
