package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.IN_PROGRESS;
import static dev.resilience.event.IdempotencyOutcome.REPLAYED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.idempotency.TestIdempotency.InFlight;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** By default a call whose key is held by a running one is refused. */
@ParameterizedClass
@EnumSource(CallMode.class)
class InProgressTests {

    private final TestIdempotency calls;

    InProgressTests(CallMode mode) {
        this.calls = new TestIdempotency(mode);
    }

    @Test
    void aCallWithTheSameKeyIsRefused() {
        calls.start();

        assertThatExceptionOfType(IdempotencyInProgressException.class)
                .isThrownBy(calls.calling())
                .withMessageNotContaining("payload");

        calls.assertExecutions(1);
        calls.assertCounted(IN_PROGRESS);
    }

    @Test
    void theRefusalTellsHowLongTheLeaseLasts() {
        calls.start();
        calls.time.advance(Duration.ofSeconds(4));

        IdempotencyInProgressException refused =
                catchThrowableOfType(IdempotencyInProgressException.class, calls.calling());

        assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(26));
    }

    @Test
    void whatIsLeftOfTheLeaseIsNeverTooShortToWaitFor() {
        calls.startInAProcessThatStops();
        calls.time.advance(Duration.ofSeconds(30).minusNanos(1));

        IdempotencyInProgressException refused =
                catchThrowableOfType(IdempotencyInProgressException.class, calls.calling());

        assertThat(refused.retryAfter()).isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void theRunningCallIsNotDisturbed() throws Throwable {
        InFlight running = calls.start();
        assertThatExceptionOfType(IdempotencyInProgressException.class).isThrownBy(calls.calling());

        running.succeed("first");

        assertThat(calls.call("second")).isEqualTo("first");
        calls.assertCounted(IN_PROGRESS, EXECUTED, REPLAYED);
    }

    @Test
    void aCallInsideOfItselfIsRefused() throws Throwable {
        Object result = calls.call("key", "payload", () -> {
            assertThatExceptionOfType(IdempotencyInProgressException.class).isThrownBy(calls.calling());
            return "first";
        });

        assertThat(result).isEqualTo("first");
        calls.assertExecutions(1);
        calls.assertCounted(IN_PROGRESS, EXECUTED);
    }

    @Test
    void otherKeysAreFree() throws Throwable {
        calls.start();

        assertThat(calls.call("other", "payload", () -> "second")).isEqualTo("second");
    }
}
