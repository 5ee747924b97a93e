package com.acme.tenants;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.retry.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

public interface TenantManagement {

    @Transactional
    @dev.resilience.annotation.Retryable(
            maxAttempts = Constants.RETRIES_MAX,
            delay = Constants.RETRIES_DELAY + "ms",
            multiplier = 1,
            retryOn = { ConcurrencyFailureException.class })
    String update(long type);

    @dev.resilience.annotation.Retryable(
            value = "TenantManagement.update-2",
            maxAttempts = Constants.RETRIES_MAX + 1,
            delay = (2 * Constants.RETRIES_DELAY) + "ms",
            multiplier = 1,
            retryOn = { ConcurrencyFailureException.class })
    String update(long type, String name);

    // resilience-migration: its waits were random in another way: backoff.jitter is the policy's here (proportional, with jitter-factor, makes them longer only)
    @dev.resilience.annotation.Retryable(
            delay = "5ms",
            multiplier = 2,
            doNotRetryOn = IllegalStateException.class,
            retryUnknown = true)
    <T extends Comparable<T>> T claim(T value);

    // resilience-migration: its waits were random in another way: backoff.jitter is the policy's here (proportional, with jitter-factor, makes them longer only)
    @dev.resilience.annotation.Retryable(
            maxAttempts = 4,
            delay = "200ms",
            multiplier = 1,
            maxDelay = "300ms",
            retryUnknown = true)
    void uniform();

    // resilience-migration: exceptionExpression is not rewritten: write 'retry-if' in its place: it is the name of a Predicate<Throwable> bean
    @Retryable(exceptionExpression = "message.contains('retry')", listeners = "auditListener")
    void expression();
}
