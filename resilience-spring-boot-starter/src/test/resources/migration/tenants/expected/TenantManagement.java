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
            retryOn = {ConcurrencyFailureException.class})
    String update(long type);

    @dev.resilience.annotation.Retryable(
            value = "TenantManagement.update-2",
            maxAttempts = Constants.RETRIES_MAX + 1,
            delay = (2 * Constants.RETRIES_DELAY) + "ms",
            multiplier = 1,
            retryOn = {ConcurrencyFailureException.class})
    String update(long type, String name);

    @dev.resilience.annotation.Retryable(
            delay = "5ms",
            multiplier = 2,
            doNotRetryOn = IllegalStateException.class,
            retryUnknown = true)
    <T extends Comparable<T>> T claim(T value);

    @dev.resilience.annotation.Retryable(
            maxAttempts = 4,
            delay = "200ms",
            multiplier = 1,
            maxDelay = "300ms",
            retryUnknown = true)
    void uniform();

    @Retryable(exceptionExpression = "message.contains('retry')", listeners = "auditListener")
    void expression();
}
