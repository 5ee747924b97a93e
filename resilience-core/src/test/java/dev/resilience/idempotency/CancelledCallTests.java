package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.IN_PROGRESS;
import static dev.resilience.event.IdempotencyOutcome.RELEASED;
import static dev.resilience.event.IdempotencyOutcome.REPLAYED;
import static dev.resilience.event.IdempotencyOutcome.TAKEN_OVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.idempotency.TestIdempotency.InFlight;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.CallMode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A caller gives up its own future: the method runs on, and how it ends is stored all the same. */
class CancelledCallTests {

    private static final Duration MAX_LEASE =
            IdempotencyPolicy.builder().build().maxLease();

    private final TestIdempotency calls = new TestIdempotency(CallMode.BLOCKING);

    /** What a caller can do to the future that it got. */
    @SuppressWarnings("ImmutableEnumChecker") // an action has no state
    enum GivingUp {
        CANCEL(future -> future.cancel(true)),
        COMPLETE(future -> future.complete("the caller knows better")),
        COMPLETE_EXCEPTIONALLY(future -> future.completeExceptionally(new IOException("the caller hung up"))),
        COMPLETE_ON_TIMEOUT(future -> future.completeOnTimeout("too late", 0, TimeUnit.NANOSECONDS)
                .exceptionally(failure -> null)
                .join()),
        OR_TIMEOUT(future -> future.orTimeout(0, TimeUnit.NANOSECONDS)
                .exceptionally(failure -> null)
                .join());

        private final Consumer<CompletableFuture<@Nullable Object>> action;

        GivingUp(Consumer<CompletableFuture<@Nullable Object>> action) {
            this.action = action;
        }
    }

    @ParameterizedTest
    @EnumSource
    void theResultIsStoredWhenTheMethodEnds(GivingUp way) throws Throwable {
        InFlight running = calls.start();
        way.action.accept(running.answer());
        assertThat(running.body()).isNotDone();
        assertThatThrownBy(calls.calling()).isInstanceOf(IdempotencyInProgressException.class);

        running.body().complete("first");

        assertThat(calls.call("second")).isEqualTo("first");
        calls.assertExecutions(1);
        calls.assertCounted(IN_PROGRESS, EXECUTED, REPLAYED);
    }

    @ParameterizedTest
    @EnumSource
    void theKeyIsFreeWhenTheMethodFails(GivingUp way) throws Throwable {
        InFlight running = calls.start();
        way.action.accept(running.answer());

        running.body().completeExceptionally(new IOException("the method failed"));

        assertThat(calls.call("second")).isEqualTo("second");
        calls.assertCounted(RELEASED, EXECUTED);
    }

    @Test
    void theLeaseIsRenewedAsLongAsThePolicyAllows() throws Throwable {
        calls.start().answer().cancel(true);

        calls.time.advance(MAX_LEASE.minusNanos(1));
        assertThatThrownBy(calls.calling()).isInstanceOf(IdempotencyInProgressException.class);

        calls.time.advance(Duration.ofMinutes(1));
        assertThat(calls.call("second")).isEqualTo("second");
        calls.assertCounted(IN_PROGRESS, TAKEN_OVER);
    }

    @Test
    void aCallThatWaitsInAQueueDoesNotRunLater() throws Throwable {
        BulkheadPolicy one = BulkheadPolicy.builder().maxConcurrent(1).build();
        Bulkhead bulkhead = new Bulkhead("one", one, Environment.of(calls.time));
        CompletableFuture<String> occupant = new CompletableFuture<>();
        CompletableFuture<String> before = Pipeline.of(bulkhead).callAsync(() -> occupant);
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<@Nullable Object> queued = Pipeline.of(
                        List.of(calls.idempotency.protecting(calls.operation), bulkhead))
                .invokeAsync(TestIdempotency.invocation("key", "payload", () -> {
                    runs.incrementAndGet();
                    return CompletableFuture.completedFuture("late");
                }));

        queued.cancel(true);
        occupant.complete("done");

        assertThat(before).isCompletedWithValue("done");
        assertThat(runs).hasValue(0);
        calls.assertCounted(RELEASED);
        assertThat(calls.call("second")).isEqualTo("second");
    }

    @Test
    void cancellingTwiceCountsOnce() {
        InFlight running = calls.start();

        running.answer().cancel(true);
        running.answer().cancel(true);
        running.body().complete("first");

        calls.assertCounted(EXECUTED);
    }
}
