package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.circuitbreaker.window.CallStatistics;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.time.Moment;
import org.jspecify.annotations.Nullable;

/** Calls pass and are counted as in CLOSED, and no outcome opens the breaker. */
final class MetricsOnlyState extends CountingState {

    MetricsOnlyState(CircuitBreaker breaker, Settings settings, @Nullable Opening last, Moment since) {
        this(breaker, settings, last, since, settings.statisticsWithoutLimits(breaker.time()));
    }

    private MetricsOnlyState(
            CircuitBreaker breaker,
            Settings settings,
            @Nullable Opening last,
            Moment since,
            CallStatistics statistics) {
        super(breaker, settings, last, since, statistics);
    }

    @Override
    CircuitState name() {
        return CircuitState.METRICS_ONLY;
    }

    @Override
    Permit tryAdmit() {
        return this;
    }

    @Override
    State under(Settings other) {
        CallStatistics kept = settings.opensAs(other) ? statistics : other.statisticsWithoutLimits(breaker.time());
        return new MetricsOnlyState(breaker, other, opening, since, kept);
    }

    @Override
    public void succeeded(long nanos) {
        breaker.count(CircuitBreakerOutcome.SUCCESS);
        statistics.succeeded(countIfSlow(nanos));
    }

    @Override
    public void failed(long nanos, @Nullable Throwable failure) {
        breaker.count(CircuitBreakerOutcome.FAILURE);
        statistics.failed(countIfSlow(nanos), Opening.typeOf(failure));
    }
}
