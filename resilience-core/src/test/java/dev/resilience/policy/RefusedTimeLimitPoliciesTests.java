package dev.resilience.policy;

import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.resilience.timelimit.TimeLimitPolicy;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RefusedTimeLimitPoliciesTests {

    @ParameterizedTest
    @MethodSource("refusals")
    void isRefused(Refusal refusal) {
        refusal.verify();
    }

    static Stream<Refusal> refusals() {
        return Stream.of(refusal("PT0S", Duration.ZERO), refusal("PT-1S", Duration.ofSeconds(-1)));
    }

    @Test
    void theLimitsThemselvesAreAllowed() {
        assertThatNoException().isThrownBy(() -> {
            TimeLimitPolicy.builder().timeout(Duration.ofNanos(1)).build();
            TimeLimitPolicy.builder()
                    .timeout(Duration.ofSeconds(Long.MAX_VALUE))
                    .build();
        });
    }

    private static Refusal refusal(Object value, Duration timeout) {
        return new Refusal(
                "timeout",
                value,
                "must be longer than zero",
                () -> TimeLimitPolicy.builder().timeout(timeout).build());
    }
}
