package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.IN_PROGRESS;
import static dev.resilience.event.IdempotencyOutcome.RELEASED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.context.Deadline;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.idempotency.IdempotencyPolicy.OnInProgress;
import dev.resilience.idempotency.TestIdempotency.InFlight;
import dev.resilience.idempotency.UnreliableStore.Act;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DeadlineOfIdempotentCallTests {

    private final TestIdempotency calls = new TestIdempotency(
            CallMode.BLOCKING,
            IdempotencyPolicy.builder().onInProgress(OnInProgress.WAIT).build());

    @Test
    void endsTheWaitForTheFirstCall() throws Exception {
        calls.start();

        within(
                Duration.ofSeconds(2),
                () -> assertThatThrownBy(calls.calling()).isInstanceOf(IdempotencyInProgressException.class));

        assertThat(calls.time.elapsed()).isEqualTo(Duration.ofSeconds(2));
        calls.assertCounted(IN_PROGRESS);
    }

    @Test
    void endsTheWaitOfAnAsynchronousCall() throws Exception {
        calls.start();
        List<InFlight> waiting = new ArrayList<>();

        within(Duration.ofSeconds(2), () -> waiting.add(calls.start()));
        calls.time.advance(Duration.ofSeconds(2));

        assertThat(waiting.get(0).refusal()).isInstanceOf(IdempotencyInProgressException.class);
        assertThat(waiting.get(0).began()).hasValue(0);
    }

    @Test
    void isTheSameOneWhenAWaitingCallGoesOn() throws Exception {
        InFlight first = calls.start();
        Deadline deadline = Deadline.in(Duration.ofSeconds(10), calls.time);
        List<@Nullable Deadline> seen = new ArrayList<>();
        deadline.call(() -> TestIdempotency.pipeline(calls.idempotency, calls.operation)
                .invokeAsync(TestIdempotency.invocation("key", "payload", () -> {
                    seen.add(Deadline.current());
                    return CompletableFuture.completedFuture("second");
                })));
        first.fail(new IllegalStateException("the key is free again"));

        calls.time.advance(Duration.ofSeconds(1));

        assertThat(seen).containsExactly(deadline);
    }

    /** The method ran: that must be known, however late it is. */
    @Test
    void doesNotKeepTheResultFromBeingStored() throws Exception {
        Map<Act, Boolean> underDeadline = new EnumMap<>(Act.class);
        calls.store.observe(act -> underDeadline.put(act, Deadline.current() != null));

        within(Duration.ofSeconds(2), () -> {
            calls.start().succeed("first");
            assertThatThrownBy(() -> calls.call("another key", "payload", () -> {
                        throw new IllegalStateException("no");
                    }))
                    .isInstanceOf(IllegalStateException.class);
        });

        assertThat(underDeadline).isEqualTo(Map.of(Act.CLAIM, true, Act.COMPLETE, false, Act.RELEASE, false));
    }

    @Test
    void thatHasPassedIsNoAnswerToReplay() throws Throwable {
        TestIdempotency replaying = new TestIdempotency(
                CallMode.BLOCKING,
                IdempotencyPolicy.builder()
                        .replayExceptions(List.of(RuntimeException.class))
                        .build());
        DeadlineExceededException late = new DeadlineExceededException("in a bulkhead's line");

        assertThatThrownBy(() -> replaying.call("key", "payload", () -> {
                    throw late;
                }))
                .isSameAs(late);

        assertThat(replaying.call("key", "payload", () -> "second")).isEqualTo("second");
        replaying.assertCounted(RELEASED, EXECUTED);
    }

    @Test
    void isAnAnswerWhereItIsListedAsWhatItIs() throws Exception {
        TestIdempotency replaying = new TestIdempotency(
                CallMode.BLOCKING,
                IdempotencyPolicy.builder()
                        .replayExceptions(List.of(DeadlineExceededException.class))
                        .build());

        assertThatThrownBy(() -> replaying.call("key", "payload", () -> {
                    throw new DeadlineExceededException("late");
                }))
                .isInstanceOf(DeadlineExceededException.class);

        replaying.assertCounted(EXECUTED);
    }

    @Test
    void thatHasPassedSparesTheStore() throws Exception {
        within(Duration.ZERO, () -> {
            assertThatThrownBy(calls.calling()).isInstanceOf(DeadlineExceededException.class);
            assertThat(calls.start().refusal()).isInstanceOf(DeadlineExceededException.class);
        });

        assertThat(calls.memory.size()).isZero();
        calls.assertExecutions(0);
        calls.assertCounted(RELEASED, RELEASED);
    }

    private void within(Duration left, Runnable action) throws Exception {
        Deadline.in(left, calls.time).call(() -> {
            action.run();
            return null;
        });
    }
}
