package com.acme.tenants;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

public interface TenantManagement {

    @Transactional
    @Retryable(retryFor = { ConcurrencyFailureException.class }, maxAttempts = Constants.RETRIES_MAX,
            backoff = @Backoff(delay = Constants.RETRIES_DELAY))
    String update(long type);

    @Retryable(retryFor = { ConcurrencyFailureException.class }, maxAttempts = Constants.RETRIES_MAX + 1,
            backoff = @Backoff(delay = 2 * Constants.RETRIES_DELAY))
    String update(long type, String name);

    @Retryable(exclude = IllegalStateException.class, backoff = @Backoff(delay = 5, multiplier = 2, random = true))
    <T extends Comparable<T>> T claim(T value);

    @Retryable(maxAttempts = 4, backoff = @Backoff(delay = 200, maxDelay = 300))
    void uniform();

    @Retryable(exceptionExpression = "message.contains('retry')", listeners = "auditListener")
    void expression();
}
