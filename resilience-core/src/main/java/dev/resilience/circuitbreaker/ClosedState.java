package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls pass; the outcome of each may open the breaker. The state itself is the permit of every call it admits, so that
 * admitting allocates nothing.
 */
final class ClosedState extends State implements Permit {

    private final CircuitBreaker breaker;
    private final int failureThreshold;
    private final AtomicInteger consecutiveFailures = new AtomicInteger();
    private final CallWindow window;

    ClosedState(CircuitBreaker breaker) {
        this.breaker = breaker;
        this.failureThreshold = breaker.policy().failureThreshold();
        this.window = CallWindow.of(breaker.policy(), breaker.time());
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
    double failureRate() {
        return window.failureRate();
    }

    @Override
    public void succeeded(long nanos) {
        breaker.count(CircuitBreakerOutcome.SUCCESS);
        if (consecutiveFailures.get() != 0) {
            consecutiveFailures.set(0);
        }
        if (window.record(false, breaker.countSlow(nanos))) {
            open();
        }
    }

    @Override
    public void failed(long nanos) {
        breaker.count(CircuitBreakerOutcome.FAILURE);
        boolean tooMany = window.record(true, breaker.countSlow(nanos));
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
        breaker.move(this, new OpenState(breaker, 0, window.failureRateAtLastCall()));
    }
}
