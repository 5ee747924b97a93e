package dev.resilience.simulation;

import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.WindowedLimit;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.pipeline.Environment;
import dev.resilience.time.ManualTimeSource;

/** What bounds the calls that run at once. */
enum LimitRule {
    ADAPTIVE("adaptive", 200),
    FIXED_10("fixed at 10", 10),
    FIXED_50("fixed at 50", 50),
    FIXED_200("fixed at 200", 200),
    GRADIENT2("Gradient2", 200);

    private final String title;
    private final int max;

    LimitRule(String title, int max) {
        this.title = title;
        this.max = max;
    }

    String title() {
        return title;
    }

    boolean isFixed() {
        return name().startsWith("FIXED");
    }

    Gate gate(ManualTimeSource time, int maxQueue) {
        return this == GRADIENT2 ? new Gradient2(time, maxQueue) : new Gate(policy(max, maxQueue), time);
    }

    private BulkheadPolicy policy(int limit, int maxQueue) {
        BulkheadPolicy.Type type = this == ADAPTIVE ? BulkheadPolicy.Type.ADAPTIVE : BulkheadPolicy.Type.SEMAPHORE;
        return BulkheadPolicy.builder()
                .type(type)
                .maxConcurrent(limit)
                .maxQueue(maxQueue)
                .build();
    }

    /** A bulkhead that is asked for a permit. */
    static class Gate {

        final Bulkhead bulkhead;

        Gate(BulkheadPolicy policy, ManualTimeSource time) {
            this.bulkhead = new Bulkhead("callee", policy, Environment.of(time));
        }

        /** A call has given its permit back. */
        void ended(long begin, long end, boolean isServed) {}
    }

    /** Netflix's limit with its own defaults, but for the minimum of 1, sets that of a semaphore. */
    private static final class Gradient2 extends Gate {

        private final WindowedLimit limit = WindowedLimit.newBuilder()
                .build(Gradient2Limit.newBuilder().minLimit(1).build());
        private final int maxQueue;

        Gradient2(ManualTimeSource time, int maxQueue) {
            super(GRADIENT2.policy(20, maxQueue), time);
            this.maxQueue = maxQueue;
        }

        @Override
        void ended(long begin, long end, boolean isServed) {
            limit.onSample(begin, end - begin, bulkhead.running() + 1, !isServed);
            if (limit.getLimit() != bulkhead.limit()) {
                bulkhead.reconfigure(GRADIENT2.policy(limit.getLimit(), maxQueue));
            }
        }
    }
}
