package com.acme.facts;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Retryable;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;

@HttpExchange("/api/facts")
public interface FactsClient {

    int RETRIES = 4;

    @GetExchange
    @Retryable(maxAttempts = 4, delay = "100ms", multiplier = 2, maxDelay = "1s", retryUnknown = true)
    @Bulkhead(value = "FactsClient.facts", maxConcurrent = 3, maxQueue = 2147483647)
    List<String> facts();

    @Retryable(maxAttempts = 4, multiplier = 1, retryUnknown = true)
    @Bulkhead(value = "FactsClient.fact", maxQueue = 2147483647)
    String fact(long id);

    @Retryable(
            maxAttempts = (int) RETRIES + 1,
            multiplier = 1,
            retryOn = IllegalStateException.class,
            doNotRetryOn = {IllegalArgumentException.class})
    @Bulkhead(maxConcurrent = 2, maxQueue = 0)
    String random();

    // resilience-migration: its waits were random in another way: backoff.jitter is the policy's here (proportional, with jitter-factor, makes them longer only)
    @Retryable(
            value = "FactsClient.slow",
            maxAttempts = 9,
            delay = "2s",
            multiplier = 1.5,
            maxDelay = "365d",
            retryUnknown = true)
    String slow();

    // resilience-migration: ${facts.max-delay} was a number of ms, and is read as one: if its value has a unit, remove 'ms'
    @Retryable(maxAttempts = 4, delay = "500ms", multiplier = 1, maxDelay = "${facts.max-delay}ms", retryUnknown = true)
    String texts();
}
