package dev.resilience.policy;

import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.resilience.retry.Backoff;
import dev.resilience.retry.Backoff.Strategy;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.RetryPolicy;
import java.time.Duration;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RefusedRetryPoliciesTests {

    private static final String RATIO = "is a ratio and must be between 0 and 1";
    private static final String POSITIVE = "must be longer than zero";
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration NEGATIVE = Duration.ofNanos(-1);

    @ParameterizedTest
    @MethodSource({"retries", "backoffs", "budgets"})
    void isRefused(Refusal refusal) {
        refusal.verify();
    }

    static Stream<Refusal> retries() {
        return Stream.of(
                retry("max-attempts", 0, "must be at least 1", policy -> policy.maxAttempts(0)),
                retry("max-attempts", -1, "must be at least 1", policy -> policy.maxAttempts(-1)),
                retry("max-duration", "PT0S", POSITIVE, policy -> policy.maxDuration(Duration.ZERO)),
                retry("max-duration", NEGATIVE, POSITIVE, policy -> policy.maxDuration(NEGATIVE)),
                retry("max-retry-after", "PT0S", POSITIVE, policy -> policy.maxRetryAfter(Duration.ZERO)),
                retry("retry-on-status", 99, "must be an HTTP status", policy -> policy.retryOnStatus(Set.of(99))),
                retry("retry-on-status", 600, "must be an HTTP status", policy -> policy.retryOnStatus(Set.of(600))));
    }

    static Stream<Refusal> backoffs() {
        return Stream.of(
                new Refusal(
                        "backoff.base-delay",
                        NEGATIVE,
                        "must not be negative",
                        () -> backoff(NEGATIVE, 2, SECOND, 0.5)),
                new Refusal("backoff.max-delay", "PT0S", POSITIVE, () -> backoff(SECOND, 2, Duration.ZERO, 0.5)),
                new Refusal(
                        "backoff.max-delay",
                        "PT1S",
                        "must not be shorter than backoff.base-delay, which is PT1.001S",
                        () -> backoff(SECOND.plusMillis(1), 1, SECOND, 0.5)),
                multiplier(0.99),
                multiplier(-2),
                multiplier(Double.NaN),
                multiplier(Double.POSITIVE_INFINITY),
                jitterFactor(1.5, RATIO + "; for 1.5 percent write 0.015"),
                jitterFactor(101, RATIO),
                jitterFactor(-0.1, RATIO));
    }

    static Stream<Refusal> budgets() {
        return Stream.of(
                budget("max-ratio", 20.0, RATIO + "; for 20.0 percent write 0.2", policy -> policy.maxRatio(20)),
                budget("max-ratio", Double.NaN, RATIO, policy -> policy.maxRatio(Double.NaN)),
                budget("window", "PT0S", POSITIVE, policy -> policy.window(Duration.ZERO)),
                budget("min-retries-per-second", 0, "must be at least 1", policy -> policy.minRetriesPerSecond(0)));
    }

    @Test
    void theLimitsThemselvesAreAllowed() {
        assertThatNoException().isThrownBy(() -> {
            RetryPolicy.builder()
                    .maxAttempts(1)
                    .maxDuration(Duration.ofNanos(1))
                    .retryOnStatus(Set.of(100, 599))
                    .build();
            RetryPolicy.builder()
                    .maxAttempts(Integer.MAX_VALUE)
                    .retryOnStatus(Set.of())
                    .build();
            backoff(Duration.ZERO, 1, Duration.ofNanos(1), 0);
            backoff(SECOND, 2, SECOND, 0);
            backoff(SECOND, Double.MAX_VALUE, Duration.ofSeconds(Long.MAX_VALUE), 1);
            RetryBudgetPolicy.builder().maxRatio(0).minRetriesPerSecond(1).build();
            RetryBudgetPolicy.builder()
                    .maxRatio(1)
                    .minRetriesPerSecond(Integer.MAX_VALUE)
                    .build();
        });
    }

    private static Backoff backoff(Duration base, double multiplier, Duration max, double jitterFactor) {
        return new Backoff(Strategy.EXPONENTIAL, base, multiplier, max, Jitter.PROPORTIONAL, jitterFactor);
    }

    private static Refusal multiplier(double value) {
        return new Refusal(
                "backoff.multiplier",
                value,
                "must be a number of at least 1",
                () -> backoff(SECOND, value, SECOND, 0.5));
    }

    private static Refusal jitterFactor(double value, String cure) {
        return new Refusal("backoff.jitter-factor", value, cure, () -> backoff(SECOND, 2, SECOND, value));
    }

    private static Refusal retry(String key, Object value, String cure, UnaryOperator<RetryPolicy.Builder> change) {
        return new Refusal(
                key, value, cure, () -> change.apply(RetryPolicy.builder()).build());
    }

    private static Refusal budget(
            String key, Object value, String cure, UnaryOperator<RetryBudgetPolicy.Builder> change) {
        return new Refusal(
                key,
                value,
                cure,
                () -> change.apply(RetryBudgetPolicy.builder()).build());
    }
}
