package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.RELEASED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.idempotency.UnreliableStore.Act;
import dev.resilience.policy.Way;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A method that was interrupted and says so: drivers would refuse to write how its call ended. */
class InterruptedCallTests {

    private final TestIdempotency calls = new TestIdempotency(Way.BLOCKING);
    private final List<String> seen = new ArrayList<>();

    @BeforeEach
    void observe() {
        calls.store.observe(act -> {
            if (act != Act.CLAIM) {
                seen.add(act + " " + Thread.currentThread().isInterrupted());
            }
        });
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

        assertThat(seen).containsExactly("COMPLETE false");
        assertThat(Thread.interrupted()).isTrue();
        calls.assertCounted(EXECUTED);
    }

    @Test
    void itsKeyIsFreed() {
        assertThatThrownBy(() -> calls.call("key", "payload", () -> {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("of the body");
                }))
                .hasMessage("of the body");

        assertThat(seen).containsExactly("RELEASE false");
        assertThat(Thread.interrupted()).isTrue();
        calls.assertCounted(RELEASED);
    }
}
