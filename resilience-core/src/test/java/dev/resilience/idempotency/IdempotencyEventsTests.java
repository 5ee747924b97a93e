package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.IdempotencyDecided;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class IdempotencyEventsTests {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final TestIdempotency calls;

    IdempotencyEventsTests(CallMode mode) {
        this.calls = new TestIdempotency(mode);
    }

    @Test
    void tellOfEveryCallOnceAndWhenItEnded() throws Throwable {
        calls.call("key", "payload", () -> {
            calls.time.advance(Duration.ofSeconds(5));
            return "first";
        });
        calls.call("second");
        assertThatThrownBy(calls.calling("key", "other")).isInstanceOf(IdempotencyKeyReusedException.class);
        assertThatThrownBy(() -> calls.call("other", "payload", () -> {
                    throw new IllegalStateException("down");
                }))
                .hasMessage("down");
        calls.store.goDown();
        assertThatThrownBy(calls.calling()).isInstanceOf(IdempotencyStoreException.class);

        assertThat(calls.events)
                .containsExactly(
                        decided(IdempotencyOutcome.EXECUTED),
                        decided(IdempotencyOutcome.REPLAYED),
                        decided(IdempotencyOutcome.KEY_REUSED),
                        decided(IdempotencyOutcome.RELEASED),
                        decided(IdempotencyOutcome.STORE_FAILURE));
    }

    private static IdempotencyDecided decided(IdempotencyOutcome outcome) {
        return new IdempotencyDecided(START.plusSeconds(5), "orders", outcome);
    }

    @Test
    void belongToALiveObjectThatKnowsItsNameAndPolicy() {
        assertThat(calls.idempotency.name()).isEqualTo("orders");
        assertThat(calls.idempotency.policy()).isEqualTo(IdempotencyPolicy.defaults());
    }
}
