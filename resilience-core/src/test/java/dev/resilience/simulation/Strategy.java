package dev.resilience.simulation;

import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The five ways to wait that Brooker compares. */
enum Strategy {
    NONE,
    EXPONENTIAL,
    EQUAL,
    FULL,
    DECORRELATED;

    private static final Duration BASE = Duration.ofMillis(5);
    private static final Duration CAP = Duration.ofSeconds(2);

    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Tries until it succeeds. */
    RetryPolicy policy() {
        return RetryPolicy.builder()
                .maxAttempts(Integer.MAX_VALUE)
                .retryOn(List.of(Contention.Conflict.class))
                .backoff(backoff())
                .build();
    }

    private Backoff backoff() {
        return switch (this) {
            case NONE -> backoff(Duration.ZERO, Jitter.NONE);
            case EXPONENTIAL -> backoff(firstDelay(), Jitter.NONE);
            case EQUAL -> backoff(firstDelay(), Jitter.EQUAL);
            case FULL -> backoff(firstDelay(), Jitter.FULL);
            case DECORRELATED -> backoff(BASE, Jitter.DECORRELATED);
        };
    }

    /** Brooker counts a client's failures from one and waits base · 2^n; this library counts retries from zero. */
    private static Duration firstDelay() {
        return BASE.multipliedBy(2);
    }

    private static Backoff backoff(Duration base, Jitter jitter) {
        return new Backoff(Backoff.Strategy.EXPONENTIAL, base, 2, CAP, jitter, 0);
    }
}
