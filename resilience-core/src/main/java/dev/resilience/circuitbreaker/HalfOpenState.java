package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.State.OpenState;
import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.time.Durations;
import dev.resilience.time.Moment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A few calls pass as probes: enough successes close the breaker, one failure opens it again, and so does one slow probe.
 * Each probe holds a permit.
 *
 * <p>A probe that overslept may lose its permit to a successor; its result does not count, whether it did or not. The first
 * probe that can tell ends the probing, and from then on no call is let in. It keeps its permit, so that there are never more
 * probes under way than permits. A stream is a probe until its first element, which decides it: it may never end.
 */
final class HalfOpenState extends State {

    private final int successThreshold;
    private final long probeTimeoutNanos;
    private final AtomicReferenceArray<@Nullable Probe> permits;
    private final AtomicInteger successes = new AtomicInteger();

    HalfOpenState(CircuitBreaker breaker, Settings settings, Outage outage, Moment since) {
        super(CircuitState.HALF_OPEN, breaker, settings, outage, since);
        CircuitBreakerPolicy.HalfOpen policy = settings.policy().halfOpen();
        this.successThreshold = policy.successThreshold();
        this.probeTimeoutNanos = Durations.toNanos(policy.probeTimeout());
        this.permits = new AtomicReferenceArray<>(policy.maxConcurrent());
    }

    /** Looks whether the probing is over once the permit is taken: before, it might end in between. */
    @Override
    @Nullable
    Permit tryAdmit() {
        Probe probe = takePermit(breaker.time.nanoTime());
        return breaker.state == this ? probe : null;
    }

    @Override
    State under(Settings other) {
        return new HalfOpenState(breaker, other, present(), since);
    }

    /** How the probing is going. */
    CircuitBreakerStatus.Probing probing() {
        long now = breaker.time.nanoTime();
        int inFlight = 0;
        for (int permit = 0; permit < permits.length(); permit++) {
            Probe holder = permits.get(permit);
            inFlight += holder == null || holder.isLate(now) ? 0 : 1;
        }
        return new CircuitBreakerStatus.Probing(inFlight, permits.length(), successes.get(), successThreshold);
    }

    @Override
    String explanation() {
        return "half-open and its probes are under way: " + present().explanation() + "; open since "
                + present().start().at().text();
    }

    private @Nullable Probe takePermit(long now) {
        for (int permit = 0; permit < permits.length(); permit++) {
            Probe holder = permits.get(permit);
            if (holder == null || holder.isLate(now)) {
                Probe probe = new Probe(permit, now);
                if (permits.compareAndSet(permit, holder, probe)) {
                    return probe;
                }
            }
        }
        return null;
    }

    /** Of several probes that can tell, the first makes the move. */
    private void open(Outage longer) {
        breaker.move(this, new OpenState(breaker, settings, longer, breaker.now()));
    }

    final class Probe implements Permit {

        private final int permit;
        private final long startedAt;
        private final AtomicBoolean decided = new AtomicBoolean();

        Probe(int permit, long startedAt) {
            this.permit = permit;
            this.startedAt = startedAt;
        }

        @Override
        public Settings settings() {
            return settings;
        }

        @Override
        public void succeeded(long nanos) {
            if (!decidesInTime()) {
                return;
            }
            breaker.calls().count(CircuitBreakerOutcome.SUCCESS);
            if (countIfSlow(nanos) && settings.judgesSlowCalls()) {
                open(present().afterSlowProbe(Duration.ofNanos(settings.slowNanos())));
            } else if (successes.incrementAndGet() >= successThreshold) {
                breaker.move(
                        HalfOpenState.this,
                        ClosedState.afterProbing(HalfOpenState.this, present().withoutFailure()));
            } else {
                releasePermit();
            }
        }

        @Override
        public void failed(long nanos, @Nullable Throwable failure) {
            if (!decidesInTime()) {
                return;
            }
            breaker.calls().count(CircuitBreakerOutcome.FAILURE);
            countIfSlow(nanos);
            open(present().afterFailedProbe(failure));
        }

        @Override
        public void ignored() {
            if (decided.compareAndSet(false, true)) {
                breaker.calls().count(CircuitBreakerOutcome.IGNORED);
                releasePermit();
            }
        }

        /** Whether what is said now counts: it is said first, and not too late. */
        private boolean decidesInTime() {
            if (isLate(breaker.time.nanoTime())) {
                ignored();
            }
            return decided.compareAndSet(false, true);
        }

        private boolean isLate(long now) {
            return now - startedAt >= probeTimeoutNanos;
        }

        private void releasePermit() {
            permits.compareAndSet(permit, this, null);
        }
    }
}
