package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.time.Durations;
import dev.resilience.time.Moment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A few calls pass as probes: enough successes close the breaker, one failure opens it again, and so do one slow probe and
 * the end of the longest stay. Each probe holds a permit.
 *
 * <p>A probe that overslept may lose its permit to a successor; its result does not count, whether it did or not. What
 * comes after the probing is decided by one compare-and-set: the first probe that can tell says so, and from then on
 * no call is let in, whichever thread makes the move. It keeps its permit, so that there are never more probes under way than
 * permits.
 */
final class HalfOpenState extends State {

    private final Opening present;
    private final int successThreshold;
    private final long probeTimeoutNanos;
    private final long longestNanos;
    private final AtomicReferenceArray<@Nullable Probe> permits;
    private final AtomicInteger successes = new AtomicInteger();
    private final AtomicReference<@Nullable State> next = new AtomicReference<>();

    HalfOpenState(CircuitBreaker breaker, Settings settings, Opening opening) {
        this(breaker, settings, opening, breaker.now());
    }

    private HalfOpenState(CircuitBreaker breaker, Settings settings, Opening opening, Moment since) {
        super(breaker, settings, opening, since);
        CircuitBreakerPolicy.HalfOpen policy = settings.policy().halfOpen();
        this.present = opening;
        this.successThreshold = policy.successThreshold();
        Duration longest = policy.maxDuration();
        this.probeTimeoutNanos = Durations.toNanos(policy.probeTimeout());
        this.longestNanos = longest == null ? Long.MAX_VALUE : Durations.toNanos(longest);
        this.permits = new AtomicReferenceArray<>(policy.maxConcurrent());
    }

    @Override
    CircuitState name() {
        return CircuitState.HALF_OPEN;
    }

    @Override
    boolean isOpen() {
        return true;
    }

    /** Looks whether the probing is over once the permit is taken: before, it might end in between. */
    @Override
    @Nullable
    Permit tryAdmit() {
        long now = breaker.time().nanoTime();
        if (hasLastedTooLong(now)) {
            end(undecided());
            return null;
        }
        Probe probe = takePermit(now);
        return isOver() ? null : probe;
    }

    private boolean hasLastedTooLong(long now) {
        return now - since.nanoTime() >= longestNanos;
    }

    /** Opened when the longest stay ended, though that is noticed only now: the next call may be a probe already. */
    private State undecided() {
        Duration longest = Duration.ofNanos(longestNanos);
        return new OpenState(breaker, settings, present.afterUndecidedProbing(longest), since.plus(longest));
    }

    @Override
    State under(Settings other) {
        return new HalfOpenState(breaker, other, present, since);
    }

    @Override
    CircuitBreakerStatus.Probing probing() {
        long now = breaker.time().nanoTime();
        int inFlight = 0;
        for (int permit = 0; permit < permits.length(); permit++) {
            Probe holder = permits.get(permit);
            inFlight += holder == null || holder.isLate(now) ? 0 : 1;
        }
        return new CircuitBreakerStatus.Probing(inFlight, permits.length(), successes.get(), successThreshold);
    }

    @Override
    String explanation() {
        return "half-open and its probes are under way: " + present.explanation() + "; open since "
                + present.at().text();
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

    private void end(State successor) {
        next.compareAndSet(null, successor);
        isOver();
    }

    /** Makes the move that was decided and possibly not made yet. */
    private boolean isOver() {
        State successor = next.get();
        if (successor != null) {
            breaker.move(this, successor);
        }
        return breaker.state() != this;
    }

    private final class Probe implements Permit {

        private final int permit;
        private final long startedAt;

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
            long now = breaker.time().nanoTime();
            if (isLate(now)) {
                ignored();
                return;
            }
            breaker.count(CircuitBreakerOutcome.SUCCESS);
            boolean slow = countIfSlow(nanos) && settings.judgesSlowCalls();
            if (hasLastedTooLong(now)) {
                end(undecided());
            } else if (slow) {
                end(new OpenState(breaker, settings, present.afterSlowProbe(Duration.ofNanos(settings.slowNanos()))));
            } else if (successes.incrementAndGet() >= successThreshold) {
                end(ClosedState.afterProbing(HalfOpenState.this, present.withoutFailure()));
            } else {
                releasePermit();
            }
        }

        @Override
        public void failed(long nanos, @Nullable Throwable failure) {
            long now = breaker.time().nanoTime();
            if (isLate(now)) {
                ignored();
                return;
            }
            breaker.count(CircuitBreakerOutcome.FAILURE);
            countIfSlow(nanos);
            end(
                    hasLastedTooLong(now)
                            ? undecided()
                            : new OpenState(breaker, settings, present.afterFailedProbe(failure)));
        }

        @Override
        public void ignored() {
            breaker.count(CircuitBreakerOutcome.IGNORED);
            releasePermit();
        }

        private boolean isLate(long now) {
            return now - startedAt >= probeTimeoutNanos;
        }

        private void releasePermit() {
            permits.compareAndSet(permit, this, null);
        }
    }
}
