package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.IN_PROGRESS;
import static dev.resilience.event.IdempotencyOutcome.LEASE_LOST;
import static dev.resilience.event.IdempotencyOutcome.RELEASED;
import static dev.resilience.event.IdempotencyOutcome.TAKEN_OVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.idempotency.TestIdempotency.InFlight;
import dev.resilience.idempotency.UnreliableStore.Act;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** By default a lease of 30 s, renewed every 10 s for up to 10 min. */
@ParameterizedClass
@EnumSource(CallMode.class)
class LeaseTests {

    private static final Duration MAX_LEASE = Duration.ofMinutes(10);

    private final TestIdempotency calls;

    LeaseTests(CallMode mode) {
        this.calls = new TestIdempotency(mode);
    }

    private void assertInProgress() {
        assertThatThrownBy(calls.calling()).isInstanceOf(IdempotencyInProgressException.class);
    }

    @Nested
    class Renewal {

        @Test
        void keepsTheKeyOfALongCall() throws Throwable {
            calls.call("key", "payload", () -> {
                calls.time.advance(Duration.ofMinutes(9));
                assertInProgress();
                return "first";
            });

            assertThat(calls.call("second")).isEqualTo("first");
            calls.assertExecutions(1);
        }

        @Test
        void comesEveryThirdOfTheLease() {
            calls.start();

            calls.time.advance(Duration.ofSeconds(10).minusNanos(1));
            assertThat(calls.store.renewals()).isZero();
            calls.time.advance(Duration.ofNanos(1));
            assertThat(calls.store.renewals()).isEqualTo(1);
            calls.time.advance(Duration.ofSeconds(30));
            assertThat(calls.store.renewals()).isEqualTo(4);
        }

        @Test
        void endsWithTheCall() throws Throwable {
            calls.start().succeed("first");
            calls.call("other", "payload", () -> "second");
            InFlight failing = calls.start();
            assertThat(failing.answer()).isCompletedWithValue("first");

            calls.time.advance(Duration.ofHours(1));

            assertThat(calls.store.renewals()).isZero();
        }

        @Test
        void endsWithACallThatFails() {
            calls.start().fail(new IllegalStateException("down"));

            calls.time.advance(Duration.ofHours(1));

            assertThat(calls.store.renewals()).isZero();
        }

        @Test
        void isTriedAgainWhileTheStoreIsDown() {
            calls.start();
            calls.store.goDownFor(Act.RENEW);
            calls.time.advance(Duration.ofSeconds(25));
            calls.store.comeBack();
            calls.time.advance(Duration.ofMinutes(5));

            assertInProgress();
        }

        @Test
        void endsWhenTheKeyHasBeenTakenOver() throws Throwable {
            calls.start();
            calls.store.goDownFor(Act.RENEW);
            calls.time.advance(Duration.ofSeconds(30));
            assertThat(calls.call("second")).isEqualTo("second");
            calls.store.comeBack();
            int before = calls.store.renewals();

            calls.time.advance(Duration.ofMinutes(5));

            assertThat(calls.store.renewals()).isEqualTo(before + 1);
        }
    }

    @Nested
    class TheLongestLease {

        @Test
        void lastsToTheEnd() {
            calls.start();
            calls.time.advance(MAX_LEASE.minusNanos(1));

            assertInProgress();
        }

        @Test
        void endsTheRenewals() {
            calls.start();
            calls.time.advance(MAX_LEASE);
            int before = calls.store.renewals();

            calls.time.advance(Duration.ofHours(1));

            assertThat(calls.store.renewals()).isEqualTo(before);
        }

        @Test
        void isNotRenewedBeyondThat() throws Throwable {
            InFlight hung = calls.start();
            calls.time.advance(MAX_LEASE);

            assertThat(calls.call("second")).isEqualTo("second");

            assertThat(hung.isRunning()).isTrue();
            calls.assertCounted(TAKEN_OVER);
        }

        @Test
        void leavesALateResultItsPlaceIfNobodyHasTakenOver() throws Throwable {
            InFlight hung = calls.start();
            calls.time.advance(Duration.ofHours(5));

            hung.succeed("first, at last");

            assertThat(calls.call("second")).isEqualTo("first, at last");
            calls.assertExecutions(1);
        }

        @Test
        void mayBeAsLongAsTheLeaseItself() throws Throwable {
            TestIdempotency once = new TestIdempotency(
                    CallMode.BLOCKING,
                    IdempotencyPolicy.builder()
                            .lease(Duration.ofSeconds(30))
                            .maxLease(Duration.ofSeconds(30))
                            .build());
            once.start();
            once.time.advance(Duration.ofSeconds(30));

            assertThat(once.call("second")).isEqualTo("second");
        }
    }

    @Nested
    class ALostLease {

        private Object callThatIsTakenOver(Exception failure) throws Throwable {
            return calls.call("key", "payload", () -> {
                calls.time.advance(MAX_LEASE);
                assertThat(calls.start().isRunning()).isTrue();
                if (failure != null) {
                    throw failure;
                }
                return "own result";
            });
        }

        @Test
        void leavesTheCallerItsOwnResult() throws Throwable {
            assertThat(callThatIsTakenOver(null)).isEqualTo("own result");

            calls.assertCounted(LEASE_LOST);
        }

        @Test
        void leavesTheCallerItsOwnException() {
            IllegalStateException failure = new IllegalStateException("down");

            assertThatThrownBy(() -> callThatIsTakenOver(failure)).isSameAs(failure);

            calls.assertCounted(LEASE_LOST);
        }

        @Test
        void leavesTheNewOwnerItsKey() throws Throwable {
            callThatIsTakenOver(null);

            assertInProgress();
            calls.assertCounted(LEASE_LOST, IN_PROGRESS);
        }

        @Test
        void leavesTheNewOwnersResult() throws Throwable {
            InFlight hung = calls.start();
            calls.time.advance(MAX_LEASE);
            calls.call("second");

            hung.succeed("first, too late");

            assertThat(calls.call("third")).isEqualTo("second");
        }
    }

    @Test
    void aFailureAfterTheLeaseHasRunOutFreesTheKeyAllTheSame() throws Throwable {
        InFlight hung = calls.start();
        calls.time.advance(Duration.ofHours(1));

        hung.fail(new IllegalStateException("down"));

        assertThat(calls.call("second")).isEqualTo("second");
        calls.assertCounted(RELEASED, EXECUTED);
    }
}
