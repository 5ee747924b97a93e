package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.idempotency.Idempotency;
import java.util.EnumMap;
import java.util.Map;

/** What a policy has counted. */
public final class CountedOutcomes {

    private CountedOutcomes() {}

    /** Asserts the outcomes counted, all of them. */
    public static void assertCounted(Idempotency idempotency, IdempotencyOutcome... expected) {
        Map<IdempotencyOutcome, Long> wanted = new EnumMap<>(IdempotencyOutcome.class);
        for (IdempotencyOutcome outcome : expected) {
            wanted.merge(outcome, 1L, Long::sum);
        }
        Map<IdempotencyOutcome, Long> counted = new EnumMap<>(IdempotencyOutcome.class);
        for (IdempotencyOutcome outcome : IdempotencyOutcome.values()) {
            if (idempotency.calls().get(outcome) != 0) {
                counted.put(outcome, idempotency.calls().get(outcome));
            }
        }
        assertThat(counted).isEqualTo(wanted);
    }
}
