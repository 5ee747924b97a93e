package dev.resilience.spring.autoconfigure;

import dev.resilience.fault.Faults;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What is written under {@code resilience.retry.<name>}.
 */
@ConfigurationProperties("resilience.retry.default") // for the metadata: the policies are bound by PolicyBinder
public final class RetryProperties extends PolicyProperties<RetryPolicy> {

    /** Calls in all, the first one included. */
    private int maxAttempts = 3;

    /**
     * Time from the start of the first call after which no retry begins; a running attempt is never interrupted. None
     * by default.
     */
    private @Nullable Duration maxDuration;

    /** How long to wait before each retry. */
    private Backoff backoff = new Backoff();

    /**
     * Exceptions that are retried whatever their fault classification, looked for in the thrown exception and its
     * causes.
     */
    private List<Class<? extends Throwable>> retryOn = List.of();

    /** Exceptions that are never retried; the class closest in the hierarchy wins, this list wins a tie. */
    private List<Class<? extends Throwable>> doNotRetryOn = List.of();

    /**
     * HTTP statuses that count as transient; a list given replaces the default. 500 is added for idempotent methods.
     */
    private Set<Integer> retryOnStatus = Faults.TRANSIENT_STATUSES;

    /** SpEL expression over #result that says "try again"; when the attempts run out, the last result is returned. */
    private @Nullable String retryOnResult;

    /** Whether to wait at least as long as the server's Retry-After asks. */
    private boolean honorRetryAfter = true;

    /** A longer Retry-After ends the retrying. */
    private Duration maxRetryAfter = Duration.ofSeconds(60);

    /**
     * Name of a shared budget under resilience.retry-budget, or "none". By default the policy has a budget of its own.
     */
    private @Nullable String budget;

    /** Whether a call that ran out of retries is kept, with its arguments, for a later replay. */
    private boolean deadLetter = false;

    /** Whether a Flux is retried although elements were already emitted. */
    private boolean retryAfterFirstElement = false;

    /** What to do when the call already runs inside a retrying call. */
    private RetryPolicy.Nested nested = RetryPolicy.Nested.ALLOW;

    public int getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(int maxAttempts) {
        this.maxAttempts = maxAttempts;
    }

    public @Nullable Duration getMaxDuration() {
        return maxDuration;
    }

    public void setMaxDuration(@Nullable Duration maxDuration) {
        this.maxDuration = maxDuration;
    }

    public Backoff getBackoff() {
        return backoff;
    }

    public List<Class<? extends Throwable>> getRetryOn() {
        return retryOn;
    }

    public void setRetryOn(List<Class<? extends Throwable>> retryOn) {
        this.retryOn = retryOn;
    }

    public List<Class<? extends Throwable>> getDoNotRetryOn() {
        return doNotRetryOn;
    }

    public void setDoNotRetryOn(List<Class<? extends Throwable>> doNotRetryOn) {
        this.doNotRetryOn = doNotRetryOn;
    }

    public Set<Integer> getRetryOnStatus() {
        return retryOnStatus;
    }

    public void setRetryOnStatus(Set<Integer> retryOnStatus) {
        this.retryOnStatus = retryOnStatus;
    }

    public @Nullable String getRetryOnResult() {
        return retryOnResult;
    }

    public void setRetryOnResult(@Nullable String retryOnResult) {
        this.retryOnResult = retryOnResult;
    }

    public boolean isHonorRetryAfter() {
        return honorRetryAfter;
    }

    public void setHonorRetryAfter(boolean honorRetryAfter) {
        this.honorRetryAfter = honorRetryAfter;
    }

    public Duration getMaxRetryAfter() {
        return maxRetryAfter;
    }

    public void setMaxRetryAfter(Duration maxRetryAfter) {
        this.maxRetryAfter = maxRetryAfter;
    }

    public @Nullable String getBudget() {
        return budget;
    }

    public void setBudget(@Nullable String budget) {
        this.budget = budget;
    }

    public boolean isDeadLetter() {
        return deadLetter;
    }

    public void setDeadLetter(boolean deadLetter) {
        this.deadLetter = deadLetter;
    }

    public boolean isRetryAfterFirstElement() {
        return retryAfterFirstElement;
    }

    public void setRetryAfterFirstElement(boolean retryAfterFirstElement) {
        this.retryAfterFirstElement = retryAfterFirstElement;
    }

    public RetryPolicy.Nested getNested() {
        return nested;
    }

    public void setNested(RetryPolicy.Nested nested) {
        this.nested = nested;
    }

    @Override
    RetryPolicy toPolicy() {
        return RetryPolicy.builder()
                .maxAttempts(maxAttempts)
                .maxDuration(maxDuration)
                .backoff(backoff.toBackoff())
                .retryOn(ExceptionClasses.checked("retry-on", retryOn))
                .doNotRetryOn(ExceptionClasses.checked("do-not-retry-on", doNotRetryOn))
                .retryOnStatus(retryOnStatus)
                .retryOnResult(retryOnResult)
                .honorRetryAfter(honorRetryAfter)
                .maxRetryAfter(maxRetryAfter)
                .budget(budget)
                .deadLetter(deadLetter)
                .retryAfterFirstElement(retryAfterFirstElement)
                .nested(nested)
                .build();
    }

    /** What is written under {@code backoff}. */
    public static final class Backoff {

        /** Whether the delay grows from one retry to the next. */
        private dev.resilience.retry.Backoff.Strategy strategy = dev.resilience.retry.Backoff.Strategy.EXPONENTIAL;

        /** The first delay. */
        private Duration baseDelay = Duration.ofSeconds(1);

        /** How much longer each delay is than the one before, at least 1. */
        private double multiplier = 2.0;

        /** The longest delay, before proportional jitter. */
        private Duration maxDelay = Duration.ofSeconds(30);

        /**
         * How delays are scattered: full U(0,d), equal d/2+U(0,d/2), decorrelated min(max, U(base, 3*previous)),
         * proportional d+U(0,d*jitter-factor), none.
         */
        private Jitter jitter = Jitter.FULL;

        /** How far proportional jitter reaches, from 0 to 1. */
        private double jitterFactor = 0.5;

        public dev.resilience.retry.Backoff.Strategy getStrategy() {
            return strategy;
        }

        public void setStrategy(dev.resilience.retry.Backoff.Strategy strategy) {
            this.strategy = strategy;
        }

        public Duration getBaseDelay() {
            return baseDelay;
        }

        public void setBaseDelay(Duration baseDelay) {
            this.baseDelay = baseDelay;
        }

        public double getMultiplier() {
            return multiplier;
        }

        public void setMultiplier(double multiplier) {
            this.multiplier = multiplier;
        }

        public Duration getMaxDelay() {
            return maxDelay;
        }

        public void setMaxDelay(Duration maxDelay) {
            this.maxDelay = maxDelay;
        }

        public Jitter getJitter() {
            return jitter;
        }

        public void setJitter(Jitter jitter) {
            this.jitter = jitter;
        }

        public double getJitterFactor() {
            return jitterFactor;
        }

        public void setJitterFactor(double jitterFactor) {
            this.jitterFactor = jitterFactor;
        }

        dev.resilience.retry.Backoff toBackoff() {
            return new dev.resilience.retry.Backoff(strategy, baseDelay, multiplier, maxDelay, jitter, jitterFactor);
        }
    }
}
