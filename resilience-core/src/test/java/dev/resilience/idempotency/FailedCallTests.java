package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.RELEASED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.CircuitOpenException;
import dev.resilience.policy.CallMode;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A failure that is no final answer frees the key. */
@ParameterizedClass
@EnumSource(CallMode.class)
class FailedCallTests {

    private final TestIdempotency calls;

    FailedCallTests(CallMode mode) {
        this.calls = new TestIdempotency(mode);
    }

    private void assertFreesTheKey(Throwable failure) throws Throwable {
        assertThatThrownBy(() -> calls.call("key", "payload", () -> {
                    if (failure instanceof Error error) {
                        throw error;
                    }
                    throw (Exception) failure;
                }))
                .isSameAs(failure);
        assertKeyIsFree();
    }

    private void assertKeyIsFree() throws Throwable {
        assertThat(calls.memory.size()).isZero();
        assertThat(calls.call("second")).isEqualTo("second");
        calls.assertExecutions(2);
        calls.assertCounted(RELEASED, EXECUTED);
    }

    @Test
    void anExceptionFreesTheKey() throws Throwable {
        assertFreesTheKey(new IOException("down"));
    }

    @Test
    void anErrorFreesTheKey() throws Throwable {
        assertFreesTheKey(new AssertionError("broken"));
    }

    @Test
    void aRefusalOfAnInnerLayerFreesTheKey() throws Throwable {
        assertFreesTheKey(new CircuitOpenException("inner", Duration.ofSeconds(1)));
    }

    @Test
    void aMethodThatCancelsItselfFreesTheKey() throws Throwable {
        assertFreesTheKey(new CancellationException("by the method, not by its caller"));
    }

    @Test
    void anAsynchronousBodyThatThrowsBeforeItReturnsFreesTheKey() throws Throwable {
        IllegalStateException failure = new IllegalStateException("down");
        assertThat(TestIdempotency.pipeline(calls.idempotency, calls.operation)
                        .invokeAsync(TestIdempotency.invocation("key", "payload", () -> {
                            calls.executions.incrementAndGet();
                            throw failure;
                        }))
                        .handle((result, thrown) -> thrown))
                .isCompletedWithValue(failure);

        assertKeyIsFree();
    }
}
