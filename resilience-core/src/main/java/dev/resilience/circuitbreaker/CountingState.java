package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.circuitbreaker.window.CallStatistics;
import dev.resilience.circuitbreaker.window.WindowCounts;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.time.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Calls pass and are counted. The state itself is the permit of every call it admits, so that admitting allocates nothing.
 */
abstract sealed class CountingState extends State implements Permit permits ClosedState, MetricsOnlyState {

    /** Shared with the state that follows when the policy changes and the same calls are counted. */
    final CallStatistics statistics;

    CountingState(
            CircuitBreaker breaker,
            Settings settings,
            @Nullable Opening last,
            Moment since,
            CallStatistics statistics) {
        super(breaker, settings, last, since);
        this.statistics = statistics;
    }

    @Override
    final double failureRate() {
        return statistics.window().failureRate();
    }

    @Override
    final WindowCounts windowCounts() {
        return statistics.window().counts();
    }

    @Override
    public final Settings settings() {
        return settings;
    }

    @Override
    public final void ignored() {
        breaker.count(CircuitBreakerOutcome.IGNORED);
    }
}
