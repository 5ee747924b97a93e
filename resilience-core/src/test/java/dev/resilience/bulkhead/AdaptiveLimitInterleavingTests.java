package dev.resilience.bulkhead;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.concurrency.StubTime;
import dev.resilience.fault.FaultClassification;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls that complete a window at the same time. */
class AdaptiveLimitInterleavingTests {

    @Interleaved
    void ofTwoCallsThatCompleteAWindowOneMovesTheLimit(Interleavings mode) {
        mode.explore(threads -> {
            AtomicInteger changes = new AtomicInteger();
            AdaptiveLimit limit = almostComplete(changes);

            threads.run(() -> limit.ended(limit.begin(), null), () -> limit.ended(limit.begin(), null));

            check(limit, changes, 8);
        });
    }

    @Interleaved
    void aCallThatEndsWhileAnotherFindsNoPermitMovesTheLimitOnce(Interleavings mode) {
        mode.explore(threads -> {
            AtomicInteger changes = new AtomicInteger();
            AdaptiveLimit limit = almostComplete(changes);

            threads.run(() -> limit.ended(limit.begin(), null), limit::reached);

            check(limit, changes, 8);
        });
    }

    /** At a limit of 4 that may grow to 8, and one call is missing. */
    private static AdaptiveLimit almostComplete(AtomicInteger changes) {
        double zero = 0; // all calls last for no time
        LimitSearch search = new LimitSearch(1, 8, 4, 1, 8, zero, zero, 0, 30, false);
        AdaptiveLimit limit =
                new AdaptiveLimit(search, new StubTime(), FaultClassification.ofJdk(), changes::incrementAndGet);
        limit.reached();
        limit.reached();
        for (int i = 1; i < search.needed(); i++) {
            limit.ended(limit.begin(), null);
        }
        return limit;
    }

    /** A limit that is to be higher rises by one with each fourth call that finds no permit. */
    private static void check(AdaptiveLimit limit, AtomicInteger changes, int expected) {
        int to = limit.search().inForce();
        for (int i = 0; i < 4 * (expected - 4); i++) {
            limit.reached();
        }
        if ((to != 4 && to != expected) || limit.limit() != to || changes.get() != to - 4) {
            throw new AssertionError(limit.search() + " after " + changes + " changes");
        }
    }
}
