package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.IN_PROGRESS;
import static dev.resilience.event.IdempotencyOutcome.OUTCOME_UNKNOWN;
import static dev.resilience.event.IdempotencyOutcome.TAKEN_OVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.idempotency.IdempotencyPolicy.OnAbandoned;
import dev.resilience.idempotency.TestIdempotency.InFlight;
import dev.resilience.policy.Way;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** After a caller has given up a running call: nobody knows whether its method still runs. */
class CancelledCallTests {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final TestIdempotency calls = new TestIdempotency(Way.BLOCKING);

    @Test
    void theMethodIsCancelledAndTheOutcomeIsUnknown() {
        InFlight running = calls.start();

        running.answer().cancel(true);

        assertThat(running.body()).isCancelled();
        calls.assertCounted(OUTCOME_UNKNOWN);
    }

    @Test
    void theKeyStaysTakenUntilTheLeaseEnds() throws Throwable {
        calls.start().answer().cancel(true);
        calls.time.advance(LEASE.minusNanos(1));
        assertThatThrownBy(calls.calling()).isInstanceOf(IdempotencyInProgressException.class);

        calls.time.advance(Duration.ofNanos(1));

        assertThat(calls.call("second")).isEqualTo("second");
        calls.assertCounted(OUTCOME_UNKNOWN, IN_PROGRESS, TAKEN_OVER);
    }

    @Test
    void theLeaseIsNotRenewed() {
        calls.start().answer().cancel(true);

        calls.time.advance(Duration.ofHours(1));

        assertThat(calls.store.renewals()).isZero();
    }

    @Test
    void noCallRunsAgainIfThePolicyForbidsIt() {
        TestIdempotency atMostOnce = new TestIdempotency(
                Way.BLOCKING,
                IdempotencyPolicy.builder().onAbandoned(OnAbandoned.REJECT).build());
        atMostOnce.start().answer().cancel(true);
        atMostOnce.time.advance(LEASE);

        assertThatThrownBy(atMostOnce.calling()).isInstanceOf(IdempotencyOutcomeUnknownException.class);

        atMostOnce.assertExecutions(1);
        atMostOnce.assertCounted(OUTCOME_UNKNOWN, OUTCOME_UNKNOWN);
    }

    @Test
    void anAnswerThatTheCallerGivesItselfIsNotStored() throws Throwable {
        InFlight running = calls.start();

        running.answer().complete("the caller knows better");

        calls.time.advance(LEASE);
        assertThat(calls.call("second")).isEqualTo("second");
        calls.assertCounted(OUTCOME_UNKNOWN, TAKEN_OVER);
    }

    @Test
    void cancellingTwiceCountsOnce() {
        InFlight running = calls.start();

        running.answer().cancel(true);
        running.answer().cancel(true);
        running.body().complete("too late");

        calls.assertCounted(OUTCOME_UNKNOWN);
    }
}
