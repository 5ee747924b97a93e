package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.pipeline.Environment;
import dev.resilience.policy.CallMode;
import dev.resilience.policy.InvalidPolicyException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReconfiguredIdempotencyTests {

    private final TestIdempotency calls = new TestIdempotency(CallMode.BLOCKING);

    @Test
    void aNewTtlHoldsForResultsOfLaterCalls() throws Throwable {
        calls.call("old", "payload", () -> "first");
        calls.idempotency.reconfigure(
                IdempotencyPolicy.builder().ttl(Duration.ofHours(1)).build());
        calls.call("new", "payload", () -> "first");

        calls.time.advance(Duration.ofHours(2));

        assertThat(calls.call("old", "payload", () -> "second")).isEqualTo("first");
        assertThat(calls.call("new", "payload", () -> "second")).isEqualTo("second");
    }

    @Test
    void aCallKeepsTheLeaseThatItsKeyWasClaimedWith() throws Throwable {
        Idempotency[] reconfigured = new Idempotency[1];
        reconfigured[0] = new Idempotency(
                "orders",
                IdempotencyPolicy.defaults(),
                new ForwardingStore(calls.memory) {
                    @Override
                    public Claim claim(ClaimRequest request) {
                        Claim claim = super.claim(request);
                        reconfigured[0].reconfigure(IdempotencyPolicy.builder()
                                .lease(Duration.ofMinutes(5))
                                .build());
                        return claim;
                    }
                },
                Environment.of(calls.time));

        TestIdempotency.pipeline(reconfigured[0], calls.operation)
                .invoke(TestIdempotency.invocation("key", "payload", () -> {
                    calls.time.advance(Duration.ofMinutes(1));
                    assertThatThrownBy(calls.calling()).isInstanceOf(IdempotencyInProgressException.class);
                    return "first";
                }));
    }

    @ParameterizedTest
    @MethodSource("otherMeanings")
    void whatDecidesWhichCallsAreEqualCannotChange(IdempotencyPolicy changed, String key) {
        assertThatThrownBy(() -> calls.idempotency.reconfigure(changed))
                .isInstanceOfSatisfying(
                        InvalidPolicyException.class,
                        invalid -> assertThat(invalid.key()).isEqualTo(key))
                .hasMessageContaining("cannot change while the application runs");
        assertThat(calls.idempotency.policy()).isEqualTo(IdempotencyPolicy.defaults());
    }

    static List<Object[]> otherMeanings() {
        return List.of(
                new Object[] {IdempotencyPolicy.builder().fingerprint(false).build(), "fingerprint"},
                new Object[] {
                    IdempotencyPolicy.builder()
                            .replayExceptions(List.of(IllegalStateException.class))
                            .build(),
                    "replay-exceptions"
                },
                new Object[] {
                    IdempotencyPolicy.builder()
                            .scope(IdempotencyPolicy.Scope.NONE)
                            .build(),
                    "scope"
                },
                new Object[] {
                    IdempotencyPolicy.builder()
                            .transactional(IdempotencyPolicy.Transactional.NEVER)
                            .build(),
                    "transactional"
                });
    }
}
