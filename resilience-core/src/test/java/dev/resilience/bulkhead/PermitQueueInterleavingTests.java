package dev.resilience.bulkhead;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * Permits with a queue that is long enough are linearizable: callers see a bulkhead that does one thing at a time, first
 * come, first served.
 */
class PermitQueueInterleavingTests {

    @Interleaved(alwaysModelChecked = true)
    void aPlaceIsHandedOverInOrder(Interleavings mode) {
        mode.linearizable(Callers.class, InOrder.class);
    }

    @Interleaved
    void whoComesWhileAPlaceIsLeftIsGivenIt(Interleavings mode) {
        mode.explore(threads -> {
            PermitQueue permits = new PermitQueue(1, 1);
            permits.tryAcquire();
            Caller caller = new Caller();

            threads.run(permits::release, () -> permits.enqueue(caller));

            caller.check(1);
        });
    }

    @Interleaved
    void nobodyIsRefusedWhileThereIsRoom(Interleavings mode) {
        mode.explore(threads -> {
            PermitQueue permits = new PermitQueue(1, 1);
            AtomicInteger admitted = new AtomicInteger();
            // found no place a moment ago, but by now it is free
            Runnable comer = () -> {
                if (permits.enqueue(new Caller())) {
                    admitted.incrementAndGet();
                }
            };

            threads.run(comer, comer);

            if (admitted.get() < 2) {
                throw new AssertionError("Refused, though of two callers one has the place and one may wait");
            }
        });
    }

    @Interleaved
    void nobodyIsRefusedForALineThatGetsShorterWhileThereIsRoom(Interleavings mode) {
        mode.explore(threads -> {
            PermitQueue permits = new PermitQueue(1, 1);
            permits.tryAcquire();
            Caller caller = new Caller(); // found no place a moment ago
            AtomicBoolean refused = new AtomicBoolean();

            threads.run(() -> permits.limit(2, 0), () -> refused.set(!permits.enqueue(caller)));

            if (refused.get()) {
                throw new AssertionError("Refused, though before there was room in the line, and now there is a place");
            }
            permits.limit(() -> 2);
            caller.check(1);
        });
    }

    @Interleaved
    void aHigherLimitLetsInACallThatIsAboutToWait(Interleavings mode) {
        mode.explore(threads -> {
            PermitQueue permits = new PermitQueue(1, 1);
            permits.tryAcquire();
            Caller caller = new Caller(); // found no place a moment ago

            threads.run(() -> permits.limit(() -> 2), () -> permits.enqueue(caller));

            caller.check(1);
        });
    }

    @Interleaved
    void aLowerLimitAdmitsNoneUntilEnoughHaveLeft(Interleavings mode) {
        mode.explore(threads -> {
            PermitQueue permits = new PermitQueue(2, 1);
            permits.tryAcquire();
            permits.tryAcquire();
            Caller caller = new Caller();
            permits.enqueue(caller);

            threads.run(() -> permits.limit(1, 1), permits::release);

            // the permit went to the caller before the limit fell, or to no one
            int running = permits.running();
            caller.check(running - 1);
            permits.release();
            caller.check(1);
            if (permits.tryAcquire()) {
                throw new AssertionError("Admitted beside the caller, which has the one permit that is left");
            }
        });
    }

    /** What became of a call when its caller wanted to end it. */
    public enum End {
        WAS_NOT_IN,
        GAVE_UP_IN_LINE,
        LEFT_ITS_PLACE
    }

    /** One caller on each thread, for one place. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class Callers {

        private final PermitQueue permits = new PermitQueue(1, 100);
        private final Caller[] callers = new Caller[10];

        @Operation(params = "thread")
        public void enter(int thread) {
            if (callers[thread] == null) {
                Caller caller = new Caller();
                callers[thread] = caller;
                caller.hasPermit = permits.tryAcquire();
                if (!caller.hasPermit) {
                    permits.enqueue(caller);
                }
            }
        }

        @Operation(params = "thread")
        public End exit(int thread) {
            Caller caller = callers[thread];
            if (caller == null) {
                return End.WAS_NOT_IN;
            }
            callers[thread] = null;
            if (!caller.hasPermit && permits.withdraw(caller)) {
                caller.check(0);
                return End.GAVE_UP_IN_LINE;
            }
            permits.release();
            return End.LEFT_ITS_PLACE;
        }

        @Validate
        public void whenQuietEveryPlaceIsAccountedFor() {
            int in = 0;
            int waiting = 0;
            for (Caller caller : callers) {
                if (caller != null) {
                    boolean given = caller.told.get() > 0;
                    caller.check(given ? 1 : 0);
                    in += caller.hasPermit || given ? 1 : 0;
                    waiting += caller.hasPermit || given ? 0 : 1;
                }
            }
            if (permits.running() != in || permits.waiting() != waiting || in > 1 || (waiting > 0 && in == 0)) {
                throw new IllegalStateException(permits.running() + " run and " + permits.waiting() + " wait, but " + in
                        + " are in and " + waiting + " in line");
            }
        }
    }

    private static final class Caller implements PermitQueue.Waiter {

        boolean hasPermit;
        final AtomicInteger told = new AtomicInteger();

        @Override
        public void permitGranted() {
            told.incrementAndGet();
        }

        @Override
        public boolean runsInPool() {
            return false;
        }

        @Override
        public void rejected() {
            throw new UnsupportedOperationException("nobody sends callers away here");
        }

        void check(int times) {
            if (told.get() != times || (hasPermit && times > 0)) {
                throw new IllegalStateException("told " + told.get() + " times");
            }
        }
    }

    /** The specification: who came first has the place. */
    public static class InOrder {

        private final List<Integer> comers = new ArrayList<>();

        public void enter(int thread) {
            if (!comers.contains(thread)) {
                comers.add(thread);
            }
        }

        public End exit(int thread) {
            int position = comers.indexOf(thread);
            if (position < 0) {
                return End.WAS_NOT_IN;
            }
            comers.remove(position);
            return position == 0 ? End.LEFT_ITS_PLACE : End.GAVE_UP_IN_LINE;
        }
    }
}
