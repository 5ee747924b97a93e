package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls pass; the outcome of each may open the breaker. The state itself is the permit of every call it admits, so that
 * admitting allocates nothing.
 */
final class ClosedState extends State implements Permit {

    private final int failureThreshold;
    private final AtomicInteger consecutiveFailures = new AtomicInteger();
    private final CallWindow window;

    ClosedState(CircuitBreaker breaker, Settings settings) {
        super(breaker, settings);
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
        return new ClosedState(breaker, other);
    }

    @Override
    double failureRate() {
        return window.failureRate();
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
        if (window.record(false, countIfSlow(nanos))) {
            open();
        }
    }

    @Override
    public void failed(long nanos) {
        breaker.count(CircuitBreakerOutcome.FAILURE);
        boolean tooMany = window.record(true, countIfSlow(nanos));
        boolean tooManyInARow = consecutiveFailures.incrementAndGet() >= failureThreshold && failureThreshold > 0;
        if (tooMany || tooManyInARow) {
            open();
        }
    }

    @Override
    public void ignored() {
        breaker.count(CircuitBreakerOutcome.IGNORED);
    }

    private void open() {
        breaker.move(this, new OpenState(breaker, settings, 0, window.failureRateAtLastCall()));
    }
}
