package dev.resilience.simulation;

import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * How the three services of the chain protect their calls: all three in the same way.
 *
 * @param title the name in the report
 * @param parts what a service has besides its retries
 */
record Scenario(String title, RetryPolicy retry, Set<Part> parts) {

    static final Scenario NAIVE = new Scenario("naive retries", naive(RetryPolicy.Nested.ALLOW), Set.of());
    static final Scenario BUDGETS =
            new Scenario("naive, with budgets", naive(RetryPolicy.Nested.ALLOW), Set.of(Part.BUDGET));
    static final Scenario SUPPRESS =
            new Scenario("naive, nested: suppress", naive(RetryPolicy.Nested.SUPPRESS), Set.of());
    static final Scenario BREAKERS =
            new Scenario("naive, with breakers", naive(RetryPolicy.Nested.ALLOW), Set.of(Part.BREAKER));
    static final Scenario DEFAULTS = new Scenario("the defaults", RetryPolicy.defaults(), Set.of(Part.BUDGET));
    static final Scenario DEFAULTS_PASSING_503 = new Scenario(
            "the defaults, 503 passed on", RetryPolicy.defaults(), Set.of(Part.BUDGET, Part.PASSES_503_ON));
    static final Scenario WITHOUT_REFUSALS = new Scenario(
            "the defaults, 503 without X-Resilience-Retry",
            RetryPolicy.defaults(),
            Set.of(Part.BUDGET, Part.PASSES_503_ON, Part.WITHOUT_REFUSALS));
    static final Scenario DEFAULTS_AND_BREAKERS =
            new Scenario("the defaults and breakers", RetryPolicy.defaults(), Set.of(Part.BUDGET, Part.BREAKER));

    static final List<Scenario> ALL = List.of(
            NAIVE,
            SUPPRESS,
            BUDGETS,
            BREAKERS,
            DEFAULTS,
            DEFAULTS_PASSING_503,
            WITHOUT_REFUSALS,
            DEFAULTS_AND_BREAKERS);

    boolean has(Part part) {
        return parts.contains(part);
    }

    @Override
    public String toString() {
        return title;
    }

    /** Everything that fails is tried three times, one second apart. */
    private static RetryPolicy naive(RetryPolicy.Nested nested) {
        Duration second = Duration.ofSeconds(1);
        return RetryPolicy.builder()
                .retryOn(List.of(Exception.class))
                .backoff(new Backoff(Backoff.Strategy.FIXED, second, 1, second, Jitter.NONE, 0))
                .honorRetryAfter(false)
                .nested(nested)
                .build();
    }

    /** What a service has besides its retries. */
    enum Part {
        /** The default retry budget, one for each service. */
        BUDGET,
        /** The default circuit breaker, outside the retry. */
        BREAKER,
        /** A failure leaves the controller as 503; otherwise as 500, which is what Spring Boot makes of exceptions. */
        PASSES_503_ON,
        /** Failures leave it without {@code X-Resilience-Retry: no}, as they leave a service that knows no such header. */
        WITHOUT_REFUSALS
    }
}
