package dev.resilience.retry;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.concurrency.StubTime;
import dev.resilience.retry.RetryBudget.Reservation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;

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
    void aReservedRetryIsKeptForItsOwner(Interleavings mode) {
        mode.linearizable(Reserving.class, OneOfTwo.class);
    }

    @Interleaved
    void reservedRetriesAreForgottenAWindowAfterTheyWereMade(Interleavings mode) {
        mode.linearizable(ReservingWhileTimeMovesOn.class, ReservedInTheLastWindow.class);
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

    /** While time stands still; calls pay for half a retry each. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class Reserving {

        private final RetryBudget budget = new RetryBudget(
                "test",
                RetryBudgetPolicy.builder()
                        .window(Duration.ofSeconds(1))
                        .minRetriesPerSecond(2)
                        .maxRatio(0.5)
                        .build(),
                new StubTime());
        private final AtomicReferenceArray<Reservation> reserved = new AtomicReferenceArray<>(10);

        @Operation
        public boolean reserve(@Param(name = "thread") int thread) {
            if (reserved.get(thread) != null) {
                return false;
            }
            reserved.set(thread, budget.reserve(Duration.ofMillis(100)));
            return reserved.get(thread) != null;
        }

        @Operation
        public boolean use(@Param(name = "thread") int thread) {
            Reservation own = reserved.getAndSet(thread, null);
            return own != null && own.use();
        }

        @Operation
        public boolean giveBack(@Param(name = "thread") int thread) {
            Reservation own = reserved.getAndSet(thread, null);
            if (own != null) {
                own.giveBack();
            }
            return own != null;
        }

        @Operation
        public boolean tryAcquire() {
            return budget.tryAcquire();
        }

        @Operation
        public void firstAttemptEnded() {
            budget.firstAttemptEnded();
        }
    }

    /** The specification: of the backlog and the reservations there are never more than two. */
    public static class OneOfTwo {

        private double backlog;
        private final Set<Integer> reserved = new HashSet<>();

        public boolean reserve(int thread) {
            return !reserved.contains(thread) && hasRoom() && reserved.add(thread);
        }

        public boolean use(int thread) {
            if (reserved.remove(thread)) {
                backlog++;
                return true;
            }
            return false;
        }

        public boolean giveBack(int thread) {
            return reserved.remove(thread);
        }

        public boolean tryAcquire() {
            if (hasRoom()) {
                backlog++;
                return true;
            }
            return false;
        }

        public void firstAttemptEnded() {
            backlog = Math.max(0, backlog - 0.5);
        }

        private boolean hasRoom() {
            return backlog + reserved.size() + 1 <= 2;
        }
    }

    /** Where calls pay for nothing, and every reservation is for half a window. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class ReservingWhileTimeMovesOn {

        private final StubTime time = new StubTime();
        private final RetryBudget budget = new RetryBudget(
                "test",
                RetryBudgetPolicy.builder()
                        .window(Duration.ofSeconds(1))
                        .minRetriesPerSecond(2)
                        .maxRatio(0)
                        .build(),
                time);
        private final AtomicReferenceArray<Reservation> reserved = new AtomicReferenceArray<>(10);

        @Operation
        public boolean reserve(@Param(name = "thread") int thread) {
            if (reserved.get(thread) != null) {
                return false;
            }
            reserved.set(thread, budget.reserve(Duration.ofMillis(550)));
            return reserved.get(thread) != null;
        }

        @Operation
        public boolean use(@Param(name = "thread") int thread) {
            Reservation own = reserved.getAndSet(thread, null);
            return own != null && own.use();
        }

        @Operation
        public void halfAWindowAndASlotPass() {
            time.advance(Duration.ofMillis(550).toNanos());
        }
    }

    /**
     * The specification: two retries in a window, made or reserved. A reservation for a moment at which an earlier retry
     * has left the window does not count it, one that is a window late has lapsed, and one that is used too early is
     * refused where there is no room yet.
     */
    public static class ReservedInTheLastWindow {

        private final List<Integer> retries = new ArrayList<>();
        private final Map<Integer, Integer> dueByThread = new HashMap<>();
        private int slot;

        public boolean reserve(int thread) {
            if (dueByThread.containsKey(thread) || !hasRoomFrom(slot + 11)) {
                return false;
            }
            dueByThread.put(thread, slot + 11);
            return true;
        }

        public boolean use(int thread) {
            Integer due = dueByThread.remove(thread);
            if (due == null) {
                return false;
            }
            boolean lapsed = due < slot - 20;
            return (lapsed ? hasRoomFrom(slot) : made(slot) + 1 <= 2) && retries.add(slot);
        }

        private boolean hasRoomFrom(int due) {
            for (int end = due; end <= slot + 20; end++) {
                if (made(end) + planned(end) + 1 > 2) {
                    return false;
                }
            }
            return true;
        }

        private long made(int end) {
            return retries.stream().filter(made -> made >= end - 20).count();
        }

        private long planned(int end) {
            return dueByThread.values().stream()
                    .filter(due -> due <= end && due >= slot - 20)
                    .count();
        }

        public void halfAWindowAndASlotPass() {
            slot += 11;
        }
    }
}
