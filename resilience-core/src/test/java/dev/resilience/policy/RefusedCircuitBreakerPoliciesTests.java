package dev.resilience.policy;

import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.event.CircuitState;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RefusedCircuitBreakerPoliciesTests {

    private static final String RATIO = "is a ratio and must be between 0 and 1";
    private static final String POSITIVE = "must be longer than zero";
    private static final String AT_LEAST_ONE = "must be at least 1";
    private static final Duration SECOND = Duration.ofSeconds(1);

    @ParameterizedTest
    @MethodSource({"thresholds", "windows", "openPeriods", "probes"})
    void isRefused(Refusal refusal) {
        refusal.verify();
    }

    static Stream<Refusal> thresholds() {
        return Stream.of(
                refusal("failure-threshold", -1, "must be at least 0", policy -> policy.failureThreshold(-1)),
                refusal(
                        "failure-rate-threshold",
                        50.0,
                        RATIO + "; for 50.0 percent write 0.5",
                        policy -> policy.failureRateThreshold(50)),
                refusal("failure-rate-threshold", 101.0, RATIO, policy -> policy.failureRateThreshold(101)),
                refusal("failure-rate-threshold", -0.1, RATIO, policy -> policy.failureRateThreshold(-0.1)),
                refusal("failure-rate-threshold", Double.NaN, RATIO, policy -> policy.failureRateThreshold(Double.NaN)),
                refusal("minimum-calls", 0, AT_LEAST_ONE, policy -> policy.minimumCalls(0)),
                refusal("slow-call-duration", "PT0S", POSITIVE, policy -> policy.slowCallDuration(Duration.ZERO)),
                refusal(
                        "slow-call-rate-threshold",
                        80.0,
                        RATIO + "; for 80.0 percent write 0.8",
                        policy -> policy.slowCallRateThreshold(80)),
                refusal("slow-call-rate-threshold", -1.0, RATIO, policy -> policy.slowCallRateThreshold(-1)));
    }

    static Stream<Refusal> windows() {
        return Stream.of(
                refusal(
                        "window.duration",
                        "PT0S",
                        POSITIVE,
                        policy -> policy.window(new Window(Window.Type.TIME, Duration.ZERO, 100))),
                refusal("window.size", 0, AT_LEAST_ONE, policy -> policy.window(count(0))),
                refusal("window.size", 1_000_001, "must be at most 1000000", policy -> policy.window(count(1_000_001))),
                refusal(
                        "minimum-calls",
                        10,
                        "must not be above window.size, which is 9: such a window never has so many calls",
                        policy -> policy.minimumCalls(10).window(count(9))));
    }

    static Stream<Refusal> openPeriods() {
        return Stream.of(
                refusal("open-duration", "PT0S", POSITIVE, policy -> policy.openDuration(Duration.ZERO)),
                refusal("max-open-duration", "PT0S", POSITIVE, policy -> policy.maxOpenDuration(Duration.ZERO)),
                refusal(
                        "max-open-duration",
                        "PT1S",
                        "must not be shorter than open-duration, which is PT30S",
                        policy -> policy.openDurationMultiplier(2).maxOpenDuration(SECOND)),
                refusal(
                        "max-open-duration",
                        "PT5M",
                        "must not be shorter than open-duration, which is PT1H",
                        policy -> policy.openDurationMultiplier(1).openDuration(Duration.ofHours(1))),
                multiplier(0.5),
                multiplier(Double.NaN),
                multiplier(Double.POSITIVE_INFINITY),
                refusal(
                        "initial-state",
                        "HALF_OPEN",
                        "must be closed, open, forced-open, disabled or metrics-only",
                        policy -> policy.initialState(CircuitState.HALF_OPEN)));
    }

    static Stream<Refusal> probes() {
        return Stream.of(
                refusal(
                        "half-open.max-concurrent",
                        0,
                        AT_LEAST_ONE,
                        policy -> policy.halfOpen(new HalfOpen(0, 2, SECOND))),
                refusal(
                        "half-open.max-concurrent",
                        10_001,
                        "must be at most 10000",
                        policy -> policy.halfOpen(new HalfOpen(10_001, 2, SECOND))),
                refusal(
                        "half-open.success-threshold",
                        0,
                        AT_LEAST_ONE,
                        policy -> policy.halfOpen(new HalfOpen(1, 0, SECOND))),
                refusal(
                        "half-open.probe-timeout",
                        "PT0S",
                        POSITIVE,
                        policy -> policy.halfOpen(new HalfOpen(1, 2, Duration.ZERO))));
    }

    @Test
    void theLimitsThemselvesAreAllowed() {
        assertThatNoException().isThrownBy(() -> {
            CircuitBreakerPolicy.builder()
                    .failureThreshold(0)
                    .failureRateThreshold(0)
                    .slowCallDuration(Duration.ofNanos(1))
                    .slowCallRateThreshold(0)
                    .openDurationMultiplier(2)
                    .openDuration(SECOND)
                    .maxOpenDuration(SECOND)
                    .halfOpen(new HalfOpen(10_000, Integer.MAX_VALUE, Duration.ofNanos(1)))
                    .build();
            CircuitBreakerPolicy.builder()
                    .failureThreshold(Integer.MAX_VALUE)
                    .failureRateThreshold(1)
                    .minimumCalls(1_000_000)
                    .window(count(1_000_000))
                    .build();
        });
    }

    private static Window count(int size) {
        return new Window(Window.Type.COUNT, SECOND, size);
    }

    private static Refusal multiplier(double value) {
        return refusal(
                "open-duration-multiplier",
                value,
                "must be a number of at least 1",
                policy -> policy.openDurationMultiplier(value));
    }

    private static Refusal refusal(
            String key, Object value, String cure, UnaryOperator<CircuitBreakerPolicy.Builder> change) {
        return new Refusal(
                key,
                value,
                cure,
                () -> change.apply(CircuitBreakerPolicy.builder()).build());
    }
}
