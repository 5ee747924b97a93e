package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.KEY_REUSED;
import static dev.resilience.event.IdempotencyOutcome.REPLAYED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.idempotency.IdempotencyPolicy.OnAbandoned;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class FingerprintTests {

    private final CallMode mode;
    private final TestIdempotency calls;

    FingerprintTests(CallMode mode) {
        this.mode = mode;
        this.calls = new TestIdempotency(mode);
    }

    private static void assertReused(TestIdempotency calls) {
        assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                .isThrownBy(calls.calling("key", "other payload"))
                .withMessageContaining("orders")
                .withMessageNotContaining("payload");
    }

    @Nested
    class AnotherPayloadUnderAUsedKey {

        @Test
        void isRefusedInPlaceOfAReplay() throws Throwable {
            calls.call("first");

            assertReused(calls);

            calls.assertExecutions(1);
            calls.assertCounted(EXECUTED, KEY_REUSED);
        }

        @Test
        void isRefusedBeforeInProgressIsLookedAt() {
            calls.start();

            assertReused(calls);

            calls.assertCounted(KEY_REUSED);
        }

        @Test
        void isRefusedBeforeAnAbandonedRecordIsTakenOver() {
            calls.startInAProcessThatStops();
            calls.time.advance(Duration.ofMinutes(1));

            assertReused(calls);

            calls.assertExecutions(1);
        }

        @Test
        void isRefusedBeforeAnAbandonedRecordIsReported() {
            TestIdempotency atMostOnce = new TestIdempotency(
                    mode,
                    IdempotencyPolicy.builder().onAbandoned(OnAbandoned.REJECT).build());
            atMostOnce.startInAProcessThatStops();
            atMostOnce.time.advance(Duration.ofMinutes(1));

            assertReused(atMostOnce);
        }

        @Test
        void leavesTheRecordAsItIs() throws Throwable {
            calls.call("first");
            assertReused(calls);

            assertThat(calls.call("second")).isEqualTo("first");
        }

        @Test
        void runsOnceTheResultHasExpired() throws Throwable {
            calls.call("first");
            calls.time.advance(Duration.ofHours(24));

            assertThat(calls.call("key", "other payload", () -> "second")).isEqualTo("second");
        }

        @Test
        void runsOnceTheFirstCallHasFailed() throws Throwable {
            calls.start().fail(new IllegalStateException("down"));

            assertThat(calls.call("key", "other payload", () -> "second")).isEqualTo("second");
        }
    }

    @Test
    void isNotComparedIfThePolicySaysSo() throws Throwable {
        TestIdempotency careless = new TestIdempotency(
                mode, IdempotencyPolicy.builder().fingerprint(false).build());
        careless.call("first");

        assertThat(careless.call("key", "other payload", () -> "second")).isEqualTo("first");

        careless.assertCounted(EXECUTED, REPLAYED);
    }

    @Test
    void bearsItsVersion() {
        assertThat(RecordKey.fingerprint(new byte[0]))
                .startsWith("3:e3b0c44298fc")
                .hasSize(64);
    }

    @Test
    void isTakenBeforeTheCall() throws Throwable {
        StringBuilder payload = new StringBuilder("payload");
        for (int i = 0; i < 2; i++) {
            payload.setLength("payload".length());
            Object result = mode.invoke(
                    TestIdempotency.pipeline(calls.idempotency, calls.operation),
                    TestIdempotency.invocation(
                            "key",
                            payload,
                            () -> payload.append(", changed by the method").toString()));
            assertThat(result).isEqualTo("payload, changed by the method");
        }
        calls.assertCounted(EXECUTED, REPLAYED);
    }
}
