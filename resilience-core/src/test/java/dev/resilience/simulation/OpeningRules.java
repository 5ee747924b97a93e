package dev.resilience.simulation;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy;

/** What opens a breaker: the rules that the report compares. */
enum OpeningRules {
    AT_ONCE(
            "at once",
            "five failures in a row, at once",
            with().failureRateThreshold(0).openDurationMultiplier(1)),
    LAST_SECOND(
            "last second", "the same, while half of the last second's calls fail", with().openDurationMultiplier(1)),
    DEFAULTS("defaults", "the defaults: open periods double too", with());

    private final String shortTitle;
    private final String title;

    @SuppressWarnings("ImmutableEnumChecker") // a record of values
    private final CircuitBreakerPolicy policy;

    OpeningRules(String shortTitle, String title, CircuitBreakerPolicy.Builder policy) {
        this.shortTitle = shortTitle;
        this.title = title;
        this.policy = policy.build();
    }

    private static CircuitBreakerPolicy.Builder with() {
        return CircuitBreakerPolicy.builder();
    }

    String shortTitle() {
        return shortTitle;
    }

    String title() {
        return title;
    }

    CircuitBreakerPolicy policy() {
        return policy;
    }
}
