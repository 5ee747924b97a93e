package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.RELEASED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.IdempotencyPolicy.OnStoreFailure;
import dev.resilience.policy.CallMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A method that was interrupted and says so: drivers would refuse to write how its call ended. */
class InterruptedCallTests {

    private final TestIdempotency calls = new TestIdempotency(CallMode.BLOCKING);
    private final List<String> seen = new ArrayList<>();

    @BeforeEach
    void observe() {
        calls.store.observe(act -> seen.add(act + " " + Thread.currentThread().isInterrupted()));
    }

    @AfterEach
    void clearTheFlag() {
        Thread.interrupted();
    }

    @Test
    void itsResultIsStored() throws Throwable {
        calls.call("key", "payload", () -> {
            Thread.currentThread().interrupt();
            return "first";
        });

        assertThat(seen).containsExactly("CLAIM false", "COMPLETE false");
        assertThat(Thread.interrupted()).isTrue();
        calls.assertCounted(EXECUTED);
    }

    @Test
    void itsKeyIsClaimed() throws Throwable {
        Thread.currentThread().interrupt();

        boolean sawTheFlag = (boolean)
                calls.call("key", "payload", () -> Thread.currentThread().isInterrupted());

        assertThat(seen).containsExactly("CLAIM false", "COMPLETE false");
        assertThat(sawTheFlag).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void anInterruptWhileItsKeyIsClaimedDoesNotMakeItRunUnprotected() {
        TestIdempotency open = new TestIdempotency(
                CallMode.BLOCKING,
                IdempotencyPolicy.builder()
                        .onStoreFailure(OnStoreFailure.FAIL_OPEN)
                        .build());
        open.store.observe(act -> Thread.currentThread().interrupt());
        open.store.goDown();

        assertThatThrownBy(open.calling()).isInstanceOf(IdempotencyStoreException.class);

        open.assertExecutions(0);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void itsKeyIsFreed() {
        assertThatThrownBy(() -> calls.call("key", "payload", () -> {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("of the body");
                }))
                .hasMessage("of the body");

        assertThat(seen).containsExactly("CLAIM false", "RELEASE false");
        assertThat(Thread.interrupted()).isTrue();
        calls.assertCounted(RELEASED);
    }
}
