package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Calls pass; the outcome of each may open the breaker. The state itself is the permit of every call it admits, so that
 * admitting allocates nothing.
 */
final class ClosedState extends State implements Permit {

    private final int failureThreshold;
    private final AtomicInteger consecutiveFailures = new AtomicInteger();
    private final CallWindow window;

    /** Written and read without order between threads: any of several recent failures will do. */
    private @Nullable Class<?> lastFailure;

    ClosedState(CircuitBreaker breaker, Settings settings, @Nullable Opening last, Moment since) {
        super(breaker, settings, last, since);
        this.failureThreshold = settings.policy().failureThreshold();
        this.window = CallWindow.of(settings.policy(), breaker.time());
    }

    @Override
    CircuitState name() {
        return CircuitState.CLOSED;
    }

    @Override
    Permit tryAdmit() {
        return this;
    }

    @Override
    State under(Settings other) {
        return new ClosedState(breaker, other, opening, since);
    }

    @Override
    double failureRate() {
        return window.failureRate();
    }

    @Override
    WindowCounts windowCounts() {
        return window.counts();
    }

    @Override
    public Settings settings() {
        return settings;
    }

    @Override
    public void succeeded(long nanos) {
        breaker.count(CircuitBreakerOutcome.SUCCESS);
        if (consecutiveFailures.get() != 0) {
            consecutiveFailures.set(0);
        }
        WindowCounts tooMany = window.record(false, countIfSlow(nanos));
        if (tooMany != null) {
            open(0, tooMany, null);
        }
    }

    @Override
    public void failed(long nanos, Throwable failure) {
        breaker.count(CircuitBreakerOutcome.FAILURE);
        if (lastFailure != failure.getClass()) {
            lastFailure = failure.getClass();
        }
        WindowCounts tooMany = window.record(true, countIfSlow(nanos));
        int inARow = consecutiveFailures.incrementAndGet();
        boolean tooManyInARow = inARow >= failureThreshold && failureThreshold > 0;
        if (tooMany != null || tooManyInARow) {
            open(tooManyInARow ? inARow : 0, tooMany, failure);
        }
    }

    @Override
    public void ignored() {
        breaker.count(CircuitBreakerOutcome.IGNORED);
    }

    /**
     * Calls that end after the breaker has left this state come by here too, at a high rate perhaps: they need no words.
     *
     * @param inARow how many calls in a row have failed, if these are too many; or 0
     * @param tooMany what the window held when one of its rates was too high; or null
     * @param failure what the last call threw, if that is the one that opens
     */
    private void open(int inARow, @Nullable WindowCounts tooMany, @Nullable Throwable failure) {
        if (breaker.state() != this) {
            return;
        }
        CircuitBreakerPolicy policy = settings.policy();
        WindowCounts counts = tooMany == null ? window.countsAtLastCall() : tooMany;
        boolean slow = inARow == 0 && !window.isFailureRateReached(counts);
        String rule = inARow > 0
                ? OpeningRule.consecutiveFailures(inARow)
                : slow ? OpeningRule.slowCallRate(counts, policy) : OpeningRule.failureRate(counts, policy.window());
        double rate = counts.calls() >= policy.minimumCalls() ? counts.failureRate() : Double.NaN;
        Class<?> last = failure == null ? lastFailure : failure.getClass();
        breaker.move(
                this, new OpenState(breaker, settings, Opening.of(breaker, rule, !slow, last, failure, counts, rate)));
    }
}
