package dev.resilience.policy;

import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.resilience.bulkhead.BulkheadPolicy;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RefusedBulkheadPoliciesTests {

    @ParameterizedTest
    @MethodSource("refusals")
    void isRefused(Refusal refusal) {
        refusal.verify();
    }

    static Stream<Refusal> refusals() {
        return Stream.of(
                refusal("max-concurrent", 0, "must be at least 1", policy -> policy.maxConcurrent(0)),
                refusal("max-concurrent", -1, "must be at least 1", policy -> policy.maxConcurrent(-1)),
                refusal("min-concurrent", 0, "must be at least 1", policy -> policy.minConcurrent(0)),
                refusal(
                        "min-concurrent",
                        11,
                        "must be at most max-concurrent, which is 10",
                        policy -> policy.type(BulkheadPolicy.Type.ADAPTIVE).minConcurrent(11)),
                refusal("max-queue", -1, "must be at least 0", policy -> policy.maxQueue(-1)),
                refusal(
                        "queue-timeout",
                        "PT0S",
                        "must be longer than zero",
                        policy -> policy.queueTimeout(Duration.ZERO)),
                refusal(
                        "virtual-threads",
                        true,
                        "is for type thread-pool only: a semaphore has no threads",
                        policy -> policy.virtualThreads(true)));
    }

    @Test
    void theLimitsThemselvesAreAllowed() {
        assertThatNoException().isThrownBy(() -> {
            BulkheadPolicy.builder()
                    .maxConcurrent(1)
                    .maxQueue(0)
                    .queueTimeout(Duration.ofNanos(1))
                    .build();
            BulkheadPolicy.builder()
                    .maxConcurrent(Integer.MAX_VALUE)
                    .maxQueue(Integer.MAX_VALUE)
                    .build();
            BulkheadPolicy.builder()
                    .type(BulkheadPolicy.Type.THREAD_POOL)
                    .virtualThreads(Runtime.version().feature() >= 21)
                    .build();
        });
    }

    private static Refusal refusal(
            String key, Object value, String cure, UnaryOperator<BulkheadPolicy.Builder> change) {
        return new Refusal(
                key, value, cure, () -> change.apply(BulkheadPolicy.builder()).build());
    }
}
