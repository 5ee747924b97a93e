package dev.resilience.retry;

import dev.resilience.fault.FaultClassification;
import dev.resilience.time.TimeSource;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** Retries whose jitter can be repeated, for tests outside this package. */
public final class SeededRetry {

    private SeededRetry() {}

    /**
     * A retry without listeners.
     *
     * @param random where jitter comes from: numbers from 0 (inclusive) to 1 (exclusive)
     */
    public static Retry of(
            String name,
            RetryPolicy policy,
            FaultClassification faults,
            TimeSource time,
            @Nullable RetryBudget budget,
            DoubleSupplier random) {
        return RetryBuilder.retry(name, policy)
                .faults(faults)
                .timeSource(time)
                .budget(budget)
                .random(random)
                .build();
    }
}
