package dev.resilience.retry;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.concurrency.StubTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.Operation;

/**
 * A retry budget is linearizable: no retry is granted or reserved twice, none is refused that a budget for one would
 * grant, none that is reserved is refused to its owner, and what is given back is there for others. What it shows on its
 * gauge may lack what happens meanwhile.
 */
class RetryBudgetInterleavingTests {

    @Interleaved(alwaysModelChecked = true)
    void callsPayForRetries(Interleavings mode) {
        mode.linearizable(WithinOneSlot.class, PaidByCalls.class);
    }

    @Interleaved
    void retriesAreForgottenAfterAWindow(Interleavings mode) {
        mode.linearizable(WhileTimeMovesOn.class, InTheLastWindow.class);
    }

    @Interleaved
    void neverMoreIsAvailableThanEverWas(Interleavings mode) {
        mode.explore(threads -> {
            WhileTimeMovesOn calls = new WhileTimeMovesOn();
            calls.tryAcquire();
            calls.halfAWindowAndASlotPass();
            AtomicLong available = new AtomicLong();

            threads.run(() -> available.set(calls.available()), () -> {
                calls.tryAcquire();
                calls.halfAWindowAndASlotPass(); // the first retry is forgotten, the second is not
            });

            if (available.get() > 1) {
                throw new AssertionError(
                        "There was never a moment without a retry, but " + available.get() + " of two are available");
            }
        });
    }

    /** While time stands still. */
    public static class WithinOneSlot {

        private final RetryBudget budget = new RetryBudget(
                "test",
                RetryBudgetPolicy.builder()
                        .window(Duration.ofSeconds(1))
                        .minRetriesPerSecond(1)
                        .maxRatio(0.5)
                        .build(),
                new StubTime());

        @Operation
        public boolean tryAcquire() {
            return budget.tryAcquire();
        }

        @Operation
        public void firstAttemptEnded() {
            budget.firstAttemptEnded();
        }
    }

    /** The specification: calls serve a backlog of retries, which is never longer than one. */
    public static class PaidByCalls {

        private double backlog;

        public boolean tryAcquire() {
            if (backlog > 0) {
                return false;
            }
            backlog++;
            return true;
        }

        public void firstAttemptEnded() {
            backlog = Math.max(0, backlog - 0.5);
        }
    }

    /** Where calls pay for nothing. */
    public static class WhileTimeMovesOn {

        private final StubTime time = new StubTime();
        private final RetryBudget budget = new RetryBudget(
                "test",
                RetryBudgetPolicy.builder()
                        .window(Duration.ofSeconds(1))
                        .minRetriesPerSecond(2)
                        .maxRatio(0)
                        .build(),
                time);

        @Operation
        public boolean tryAcquire() {
            return budget.tryAcquire();
        }

        long available() {
            return budget.available();
        }

        @Operation
        public void halfAWindowAndASlotPass() {
            time.advance(Duration.ofMillis(550).toNanos());
        }
    }

    /** The specification: two retries in a window, the end of which lies inside a slot. */
    public static class InTheLastWindow {

        private final List<Integer> retries = new ArrayList<>();
        private int slot;

        public boolean tryAcquire() {
            return available() > 0 && retries.add(slot);
        }

        private long available() {
            return 2 - retries.stream().filter(granted -> granted >= slot - 20).count();
        }

        public void halfAWindowAndASlotPass() {
            slot += 11;
        }
    }
}
