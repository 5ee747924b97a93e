package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.IdempotencyDecided;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.policy.CallMode;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls for which their operation knows no key, and whose key is not required. */
@ParameterizedClass
@EnumSource
class CallsWithoutKeyTests {

    private final TestIdempotency calls;

    /** The operation of the tests takes its key from an argument, so that {@code null} is none. */
    CallsWithoutKeyTests(CallMode mode) {
        this.calls = new TestIdempotency(mode);
    }

    private @Nullable Object callWithoutKey(String result) throws Throwable {
        return calls.call(null, "payload", () -> result);
    }

    @Test
    void everyOneOfThemRunsAndIsCounted() throws Throwable {
        assertThat(callWithoutKey("first")).isEqualTo("first");
        assertThat(callWithoutKey("second")).isEqualTo("second");

        calls.assertExecutions(2);
        calls.assertCounted(IdempotencyOutcome.NO_KEY, IdempotencyOutcome.NO_KEY);
        assertThat(calls.memory.size()).isZero();
    }

    @Test
    void listenersHearOfThem() throws Throwable {
        callWithoutKey("result");

        assertThat(calls.events).hasSize(1);
        ResilienceEvent event = calls.events.get(0);
        assertThat(event).isInstanceOf(IdempotencyDecided.class);
        assertThat(((IdempotencyDecided) event).outcome()).isEqualTo(IdempotencyOutcome.NO_KEY);
        assertThat(event.type()).isEqualTo("call-no-key");
    }

    @Test
    void theirFailureIsTheirOwn() {
        IOException failure = new IOException("refused");

        assertThatThrownBy(() -> calls.call(withoutKey(), null, "payload", () -> {
                    throw failure;
                }))
                .isSameAs(failure);
        calls.assertCounted(IdempotencyOutcome.NO_KEY);
    }

    private static TextOperation withoutKey() {
        return new TextOperation(TextOperation.NAME, "") {
            @Override
            public @Nullable String key(Invocation invocation) {
                return null;
            }

            @Override
            public String callerScope() {
                throw new IllegalStateException("a call without a key needs no caller");
            }

            @Override
            public byte[] describe(@Nullable Object[] arguments) {
                throw new IllegalStateException("a call without a key is not compared");
            }
        };
    }

    @Test
    void neitherCallerNorArgumentsAreAskedFor() throws Throwable {
        assertThat(calls.call(withoutKey(), "unused", "payload", () -> "result"))
                .isEqualTo("result");
    }

    @Test
    void aMissingKeyThatIsRequiredIsRefused() {
        TextOperation required = new TextOperation(TextOperation.NAME, "") {
            @Override
            public String key(Invocation invocation) {
                throw new IdempotencyKeyMissingException("no key");
            }
        };

        assertThatThrownBy(() -> calls.call(required, "unused", "payload", () -> "result"))
                .isInstanceOf(IdempotencyKeyMissingException.class);
        calls.assertExecutions(0);
        calls.assertCounted();
    }

    @Test
    void anInvalidKeyIsRefusedAsEver() {
        for (String invalid : List.of("", "a\nb", "x".repeat(256))) {
            assertThatThrownBy(() -> calls.call(invalid, "payload", () -> "result"))
                    .isInstanceOf(IdempotencyKeyInvalidException.class);
        }
        calls.assertExecutions(0);
        calls.assertCounted();
    }
}
