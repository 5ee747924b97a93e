package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.RELEASED;
import static dev.resilience.event.IdempotencyOutcome.REPLAYED;
import static dev.resilience.event.IdempotencyOutcome.STORE_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class StoredResultTests {

    private final CallMode mode;

    StoredResultTests(CallMode mode) {
        this.mode = mode;
    }

    @Nested
    class ThatCannotBeRead {

        private final TestIdempotency calls = new TestIdempotency(mode);

        @Test
        void isAnErrorOnEveryCallAndNeverASecondExecution() throws Throwable {
            calls.call("first");
            calls.operation.makeUnreadable();

            for (int i = 0; i < 3; i++) {
                assertThatExceptionOfType(IdempotencyStoreException.class)
                        .isThrownBy(calls.calling())
                        .withMessageContaining(TextOperation.NAME)
                        .withMessageNotContaining("payload")
                        .havingCause()
                        .withMessage("the class has changed");
            }

            calls.assertExecutions(1);
            calls.assertCounted(EXECUTED, STORE_FAILURE, STORE_FAILURE, STORE_FAILURE);
        }

        @Test
        void mayBeOfAClassThatDoesNotLoad() throws Throwable {
            calls.call("first");
            calls.operation.failToRead(new NoClassDefFoundError("Gone"));

            assertThatExceptionOfType(IdempotencyStoreException.class)
                    .isThrownBy(calls.calling())
                    .withCauseInstanceOf(NoClassDefFoundError.class);

            calls.assertExecutions(1);
            calls.assertCounted(EXECUTED, STORE_FAILURE);
        }

        @Test
        void isForgottenAfterTheTtlAsAnyOther() throws Throwable {
            calls.call("first");
            calls.operation.makeUnreadable();
            calls.time.advance(Duration.ofHours(24));

            assertThat(calls.call("second")).isEqualTo("second");
        }
    }

    /** Every result has one byte more than its text. */
    @Nested
    class ThatIsTooLarge {

        private final TestIdempotency calls = new TestIdempotency(
                mode,
                IdempotencyPolicy.builder()
                        .maxResultSize(10)
                        .replayExceptions(List.of(IllegalStateException.class))
                        .build());

        @Test
        void reachesTheCallerAndIsNotStored() throws Throwable {
            assertThat(calls.call("0123456789")).isEqualTo("0123456789");
            assertThat(calls.memory.size()).isZero();

            assertThat(calls.call("again")).isEqualTo("again");

            calls.assertExecutions(2);
            calls.assertCounted(RELEASED, EXECUTED);
        }

        @Test
        void isOneByteLargerThanTheLargest() throws Throwable {
            assertThat(calls.call("012345678")).isEqualTo("012345678");

            assertThat(calls.call("again")).isEqualTo("012345678");
            calls.assertCounted(EXECUTED, REPLAYED);
        }

        @Test
        void isMeasuredInBytes() throws Throwable {
            calls.call("üüüüü");

            assertThat(calls.memory.size()).isZero();
        }

        @Test
        void mayBeAnException() throws Throwable {
            IllegalStateException failure = new IllegalStateException("the name of the class alone is too long");
            assertThat(catchThrowable(() -> calls.call("key", "payload", () -> {
                        throw failure;
                    })))
                    .isSameAs(failure);

            assertThat(calls.call("again")).isEqualTo("again");
        }
    }

    @Test
    void isUpTo256KilobytesLongByDefault() throws Throwable {
        TestIdempotency calls = new TestIdempotency(mode);
        String largest = "x".repeat(256 * 1024 - 1);

        calls.call("one", "payload", () -> largest);
        calls.call("two", "payload", () -> largest + "x");

        assertThat(calls.call("one", "payload", () -> "again")).isEqualTo(largest);
        assertThat(calls.call("two", "payload", () -> "again")).isEqualTo("again");
    }
}
