package com.acme.facts;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;

@HttpExchange("/api/facts")
public interface FactsClient {

    int RETRIES = 4;

    @GetExchange
    @Retryable(maxRetries = 3, delay = 100, multiplier = 2, maxDelay = 1000)
    @ConcurrencyLimit(3)
    List<String> facts();

    @Retryable
    @ConcurrencyLimit(limitString = "${facts.concurrency-limit:50}")
    String fact(long id);

    @Retryable(includes = IllegalStateException.class, excludes = {IllegalArgumentException.class}, maxRetries = RETRIES)
    @ConcurrencyLimit(value = 2, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
    String random();

    @Retryable(delay = 2, jitter = 1, timeUnit = SECONDS, multiplier = 1.5, maxRetries = 8, timeout = 60)
    String slow();

    @Retryable(delayString = "500ms", maxDelayString = "${facts.max-delay}", timeUnit = TimeUnit.MILLISECONDS)
    String texts();
}
