package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.time.Durations;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A few calls pass as probes: enough successes close the breaker, one failure opens it again. Each probe holds a place;
 * whether a result still counts is decided by one compare-and-set on that place, which a probe that overslept has lost
 * to its successor.
 */
final class HalfOpenState extends State {

    private final CircuitBreaker breaker;
    private final int failedProbings;
    private final double failureRate;
    private final long probeTimeoutNanos;
    private final AtomicReferenceArray<@Nullable Probe> places;
    private final AtomicInteger successes = new AtomicInteger();

    HalfOpenState(CircuitBreaker breaker, int failedProbings, double failureRate) {
        CircuitBreakerPolicy.HalfOpen policy = breaker.policy().halfOpen();
        this.breaker = breaker;
        this.failedProbings = failedProbings;
        this.failureRate = failureRate;
        this.probeTimeoutNanos = Durations.toNanos(policy.probeTimeout());
        this.places = new AtomicReferenceArray<>(policy.maxConcurrent());
    }

    @Override
    CircuitState name() {
        return CircuitState.HALF_OPEN;
    }

    @Override
    @Nullable
    Permit tryAdmit() {
        long now = breaker.time().nanoTime();
        for (int place = 0; place < places.length(); place++) {
            Probe holder = places.get(place);
            if (holder == null || holder.isExpired(now)) {
                Probe probe = new Probe(place, now);
                if (places.compareAndSet(place, holder, probe)) {
                    return probe;
                }
            }
        }
        return null;
    }

    @Override
    double failureRate() {
        return failureRate;
    }

    private final class Probe implements Permit {

        private final int place;
        private final long startedAt;

        Probe(int place, long startedAt) {
            this.place = place;
            this.startedAt = startedAt;
        }

        boolean isExpired(long now) {
            return now - startedAt >= probeTimeoutNanos;
        }

        @Override
        public void succeeded(long nanos) {
            if (!givePlaceBackInTime()) {
                breaker.count(CircuitBreakerOutcome.IGNORED);
                return;
            }
            breaker.count(CircuitBreakerOutcome.SUCCESS);
            breaker.countSlow(nanos);
            if (successes.incrementAndGet() >= breaker.policy().halfOpen().successThreshold()) {
                breaker.move(HalfOpenState.this, new ClosedState(breaker));
            }
        }

        @Override
        public void failed(long nanos) {
            if (!givePlaceBackInTime()) {
                breaker.count(CircuitBreakerOutcome.IGNORED);
                return;
            }
            breaker.count(CircuitBreakerOutcome.FAILURE);
            breaker.countSlow(nanos);
            breaker.move(HalfOpenState.this, new OpenState(breaker, failedProbings + 1, failureRate));
        }

        @Override
        public void ignored() {
            breaker.count(CircuitBreakerOutcome.IGNORED);
            givePlaceBackInTime();
        }

        private boolean givePlaceBackInTime() {
            boolean held = places.compareAndSet(place, this, null);
            return held && !isExpired(breaker.time().nanoTime());
        }
    }
}
