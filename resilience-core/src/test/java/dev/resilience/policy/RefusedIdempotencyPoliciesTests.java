package dev.resilience.policy;

import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.resilience.idempotency.IdempotencyPolicy;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RefusedIdempotencyPoliciesTests {

    private static final String POSITIVE = "must be longer than zero";
    private static final String CONSTRUCTOR = "needs a public constructor with one String, through which it is rebuilt";

    @ParameterizedTest
    @MethodSource("refusals")
    void isRefused(Refusal refusal) {
        refusal.verify();
    }

    static Stream<Refusal> refusals() {
        return Stream.of(
                refusal("ttl", "PT0S", POSITIVE, policy -> policy.ttl(Duration.ZERO)),
                refusal("lease", "PT0S", POSITIVE, policy -> policy.lease(Duration.ZERO)),
                refusal(
                        "lease",
                        "PT0.000999999S",
                        "must be at least 1ms",
                        policy -> policy.lease(Duration.ofNanos(999_999))),
                refusal("max-lease", "PT0S", POSITIVE, policy -> policy.maxLease(Duration.ZERO)),
                refusal("wait-timeout", "PT0S", POSITIVE, policy -> policy.waitTimeout(Duration.ZERO)),
                refusal(
                        "ttl",
                        "PT29S",
                        "must not be shorter than lease, which is PT30S",
                        policy -> policy.ttl(Duration.ofSeconds(29))),
                refusal(
                        "max-lease",
                        "PT29S",
                        "must not be shorter than lease, which is PT30S",
                        policy -> policy.maxLease(Duration.ofSeconds(29))),
                refusal("max-result-size", "0B", "must be at least 1B", policy -> policy.maxResultSize(0)),
                notRebuildable(WithoutConstructor.class),
                notRebuildable(WithHiddenConstructor.class),
                notRebuildable(Abstract.class));
    }

    @Test
    void theLimitsThemselvesAreAllowed() {
        Duration shortest = Duration.ofMillis(1);

        assertThatNoException().isThrownBy(() -> {
            IdempotencyPolicy.builder()
                    .lease(shortest)
                    .ttl(shortest)
                    .maxLease(shortest)
                    .waitTimeout(Duration.ofNanos(1))
                    .maxResultSize(1)
                    .build();
            IdempotencyPolicy.builder()
                    .replayExceptions(List.of(IllegalStateException.class))
                    .build();
        });
    }

    private static Refusal notRebuildable(Class<? extends Throwable> type) {
        return refusal(
                "replay-exceptions", type.getName(), CONSTRUCTOR, policy -> policy.replayExceptions(List.of(type)));
    }

    private static Refusal refusal(
            String key, Object value, String cure, UnaryOperator<IdempotencyPolicy.Builder> change) {
        return new Refusal(
                key,
                value,
                cure,
                () -> change.apply(IdempotencyPolicy.builder()).build());
    }

    public static final class WithoutConstructor extends RuntimeException {}

    public static final class WithHiddenConstructor extends RuntimeException {

        WithHiddenConstructor(String message) {
            super(message);
        }
    }

    public abstract static class Abstract extends RuntimeException {

        public Abstract(String message) {
            super(message);
        }
    }
}
