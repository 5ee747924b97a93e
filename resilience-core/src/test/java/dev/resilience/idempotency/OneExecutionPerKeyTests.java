package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.REPLAYED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class OneExecutionPerKeyTests {

    private static final Duration TTL = Duration.ofHours(24);

    private final CallMode mode;
    private final TestIdempotency calls;

    OneExecutionPerKeyTests(CallMode mode) {
        this.mode = mode;
        this.calls = new TestIdempotency(mode);
    }

    @Test
    void aRepeatedCallGetsTheFirstOnesResult() throws Throwable {
        assertThat(calls.call("first")).isEqualTo("first");
        assertThat(calls.call("second")).isEqualTo("first");
        assertThat(calls.call("third")).isEqualTo("first");

        calls.assertExecutions(1);
        calls.assertCounted(EXECUTED, REPLAYED, REPLAYED);
    }

    @Test
    void nothingIsAResultToo() throws Throwable {
        assertThat(calls.call(null)).isNull();

        assertThat(calls.call("second")).isNull();

        calls.assertExecutions(1);
        calls.assertCounted(EXECUTED, REPLAYED);
    }

    @Test
    void anotherKeyIsAnotherCall() throws Throwable {
        calls.call("one", "payload", () -> "first");

        assertThat(calls.call("two", "payload", () -> "second")).isEqualTo("second");

        calls.assertExecutions(2);
        calls.assertCounted(EXECUTED, EXECUTED);
    }

    @Test
    void anotherMethodIsAnotherCall() throws Throwable {
        calls.call("first");

        TextOperation other = new TextOperation("OrderService.cancel(String, String)", "");
        assertThat(calls.call(other, "key", "payload", () -> "second")).isEqualTo("second");

        calls.assertExecutions(2);
    }

    @Test
    void anotherCallerIsAnotherCall() throws Throwable {
        TextOperation ofAlice = new TextOperation(TextOperation.NAME, "alice");
        TextOperation ofBob = new TextOperation(TextOperation.NAME, "bob");
        calls.call(ofAlice, "key", "payload", () -> "for Alice");

        assertThat(calls.call(ofBob, "key", "payload", () -> "for Bob")).isEqualTo("for Bob");
        assertThat(calls.call(ofAlice, "key", "payload", () -> "never")).isEqualTo("for Alice");
    }

    @Test
    void methodCallerAndKeyDoNotRunTogether() throws Throwable {
        calls.call(new TextOperation("a", "bc"), "d", "payload", () -> "first");

        calls.call(new TextOperation("ab", "c"), "d", "payload", () -> "second");
        calls.call(new TextOperation("a", "b"), "cd", "payload", () -> "third");
        calls.call(new TextOperation("a", ""), "bcd", "payload", () -> "fourth");

        calls.assertExecutions(4);
    }

    @Nested
    class AResult {

        @Test
        void isKeptForTheTtl() throws Throwable {
            calls.call("first");
            calls.time.advance(TTL.minusNanos(1));

            assertThat(calls.call("second")).isEqualTo("first");
        }

        @Test
        void isForgottenThen() throws Throwable {
            calls.call("first");
            calls.time.advance(TTL);

            assertThat(calls.call("second")).isEqualTo("second");
            calls.assertCounted(EXECUTED, EXECUTED);
        }

        @Test
        void isKeptFromWhenTheCallEndedNotFromWhenItBegan() throws Throwable {
            calls.call("key", "payload", () -> {
                calls.time.advance(Duration.ofMinutes(9));
                return "first";
            });
            calls.time.advance(TTL.minusNanos(1));

            assertThat(calls.call("second")).isEqualTo("first");
        }

        @Test
        void isNotKeptLongerForBeingReplayed() throws Throwable {
            calls.call("first");
            calls.time.advance(TTL.dividedBy(2));
            calls.call("second");
            calls.time.advance(TTL.dividedBy(2));

            assertThat(calls.call("third")).isEqualTo("third");
        }

        @Test
        void mayBeKeptForAsLongAsADurationCanBe() throws Throwable {
            TestIdempotency forEver = new TestIdempotency(
                    mode,
                    IdempotencyPolicy.builder()
                            .ttl(Duration.ofSeconds(Long.MAX_VALUE))
                            .build());
            forEver.call("first");
            forEver.time.advance(Duration.ofDays(365 * 100));

            assertThat(forEver.call("second")).isEqualTo("first");
        }

        @Test
        void isKeptByTheClockThatNobodySets() throws Throwable {
            calls.call("first");
            calls.time.shiftWallClock(Duration.ofDays(365));

            assertThat(calls.call("second")).isEqualTo("first");
        }
    }
}
