package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.IN_PROGRESS;
import static dev.resilience.event.IdempotencyOutcome.STORE_FAILURE;
import static dev.resilience.event.IdempotencyOutcome.TAKEN_OVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.IdempotencyPolicy.OnStoreFailure;
import dev.resilience.idempotency.UnreliableStore.Act;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class StoreFailureTests {

    private final CallMode mode;

    StoreFailureTests(CallMode mode) {
        this.mode = mode;
    }

    @Nested
    class WhenAKeyIsClaimed {

        @Test
        void refusesTheCallByDefault() {
            TestIdempotency calls = new TestIdempotency(mode);
            calls.store.goDown();

            assertThatExceptionOfType(IdempotencyStoreException.class)
                    .isThrownBy(calls.calling())
                    .withMessageContaining("orders")
                    .havingCause()
                    .withMessage("The store is down");

            calls.assertExecutions(0);
            calls.assertCounted(STORE_FAILURE);
        }

        @Test
        void isOverWhenTheStoreIsBack() throws Throwable {
            TestIdempotency calls = new TestIdempotency(mode);
            calls.store.goDown();
            assertThatThrownBy(calls.calling()).isInstanceOf(IdempotencyStoreException.class);
            calls.store.comeBack();

            assertThat(calls.call("second")).isEqualTo("second");

            calls.assertCounted(STORE_FAILURE, EXECUTED);
        }
    }

    @Nested
    class FailOpen {

        private final TestIdempotency calls = new TestIdempotency(
                mode,
                IdempotencyPolicy.builder()
                        .onStoreFailure(OnStoreFailure.FAIL_OPEN)
                        .build());

        @Test
        void runsTheCallUnprotected() throws Throwable {
            calls.store.goDown();

            assertThat(calls.call("first")).isEqualTo("first");
            assertThat(calls.call("second")).isEqualTo("second");

            calls.assertCounted(STORE_FAILURE, STORE_FAILURE);
        }

        @Test
        void storesNothingThoughTheStoreComesBackMeanwhile() throws Throwable {
            calls.store.goDown();
            calls.call("key", "payload", () -> {
                calls.store.comeBack();
                return "first";
            });

            assertThat(calls.call("second")).isEqualTo("second");
            calls.assertCounted(STORE_FAILURE, EXECUTED);
        }

        @Test
        void passesTheMethodsOwnFailureOn() {
            calls.store.goDown();
            IllegalStateException failure = new IllegalStateException("down");

            assertThatThrownBy(() -> calls.call("key", "payload", () -> {
                        throw failure;
                    }))
                    .isSameAs(failure);

            calls.assertCounted(STORE_FAILURE);
        }
    }

    @Nested
    class WhenACallHasEnded {

        private final TestIdempotency calls = new TestIdempotency(mode);

        private void assertTheKeyStaysTakenUntilTheLeaseEnds() throws Throwable {
            calls.store.comeBack();
            calls.time.advance(Duration.ofSeconds(30).minusNanos(1));
            assertThatThrownBy(calls.calling()).isInstanceOf(IdempotencyInProgressException.class);
            calls.time.advance(Duration.ofNanos(1));
            assertThat(calls.call("second")).isEqualTo("second");
            calls.assertCounted(STORE_FAILURE, IN_PROGRESS, TAKEN_OVER);
        }

        @Test
        void leavesTheCallerItsResult() throws Throwable {
            calls.store.goDownFor(Act.COMPLETE);

            assertThat(calls.call("first")).isEqualTo("first");

            assertTheKeyStaysTakenUntilTheLeaseEnds();
        }

        @Test
        void leavesTheCallerItsException() throws Throwable {
            calls.store.goDownFor(Act.RELEASE);
            IllegalStateException failure = new IllegalStateException("down");

            assertThatThrownBy(() -> calls.call("key", "payload", () -> {
                        throw failure;
                    }))
                    .isSameAs(failure)
                    .hasNoSuppressedExceptions();

            assertTheKeyStaysTakenUntilTheLeaseEnds();
        }

        @Test
        void leavesTheCallerAResultThatCannotBeWritten() throws Throwable {
            calls.operation.failToWrite(new IllegalArgumentException("no serializer"));

            assertThat(calls.call("first")).isEqualTo("first");

            calls.assertCounted(STORE_FAILURE);
            assertThat(calls.store.renewals()).isZero();
            calls.time.advance(Duration.ofSeconds(29));
            assertThat(calls.store.renewals()).isZero();
        }

        @Test
        void leavesTheCallerAResultThatOverflowsTheStack() throws Throwable {
            calls.operation.failToWrite(new StackOverflowError());

            assertThat(calls.call("first")).isEqualTo("first");

            calls.assertCounted(STORE_FAILURE);
        }
    }
}
