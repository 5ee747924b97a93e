package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.window.CallWindow;
import dev.resilience.circuitbreaker.window.LastSecond;
import dev.resilience.circuitbreaker.window.WindowCounts;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.time.Durations;
import dev.resilience.time.Moment;
import dev.resilience.time.TimeSource;
import dev.resilience.time.Timestamps;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Calls pass; the outcome of each may open the breaker. The state itself is the permit of every call it admits, so that
 * admitting allocates nothing. After a probing only a part of the calls may pass at first.
 */
final class ClosedState extends State implements Permit {

    private final TimeSource time;
    private final boolean afterProbing;
    private final int failureThreshold;
    private final double failureRateThreshold;
    private final AtomicInteger consecutiveFailures = new AtomicInteger();
    private final CallWindow window;
    private final @Nullable LastSecond lastSecond;
    private final boolean timed;

    /** Forgotten once it is over; written and read without order between threads, because one that is over is asked too. */
    private @Nullable Ramp ramp;

    /** Written and read without order between threads: any of several recent failures will do. */
    private @Nullable Class<?> lastFailure;

    ClosedState(CircuitBreaker breaker, Settings settings, @Nullable Opening last, Moment since) {
        this(breaker, settings, last, since, false);
    }

    private ClosedState(
            CircuitBreaker breaker, Settings settings, @Nullable Opening last, Moment since, boolean afterProbing) {
        super(breaker, settings, last, since);
        CircuitBreakerPolicy policy = settings.policy();
        this.time = breaker.time();
        this.afterProbing = afterProbing;
        this.failureThreshold = policy.failureThreshold();
        this.failureRateThreshold = policy.failureRateThreshold();
        this.window = settings.window(time);
        this.lastSecond =
                failureThreshold > 0 && failureRateThreshold > 0 ? new LastSecond(window, time.coarseNanoTime()) : null;
        this.timed = lastSecond != null || window.isTimed();
        this.ramp = afterProbing ? Ramp.since(since, policy.ramp(), time) : null;
    }

    static ClosedState afterProbing(HalfOpenState probing, Opening last) {
        return new ClosedState(probing.breaker, probing.settings, last, probing.breaker.now(), true);
    }

    @Override
    CircuitState name() {
        return CircuitState.CLOSED;
    }

    @Override
    @Nullable
    Permit tryAdmit() {
        Ramp now = ramp;
        return now == null || isLetInBy(now) ? this : null;
    }

    private boolean isLetInBy(Ramp now) {
        if (now.isOver()) {
            ramp = null;
            return true;
        }
        return now.admits();
    }

    @Override
    @Nullable
    Ramp ramp() {
        Ramp now = ramp;
        return now == null || now.isOver() ? null : now;
    }

    @Override
    String explanation() {
        Ramp now = ramp;
        Opening last = opening;
        if (now == null || last == null) {
            return super.explanation();
        }
        return "closed since " + since.text() + ", and its load comes back over " + Durations.inWords(now.duration())
                + ": all calls are let in from " + Timestamps.text(wallTimeIn(now.left())) + "; it was open before: "
                + last.explanation();
    }

    @Override
    State under(Settings other) {
        return new ClosedState(breaker, other, opening, since, afterProbing);
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
        WindowCounts tooMany = record(false, nanos);
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
        WindowCounts tooMany = record(true, nanos);
        int inARow = consecutiveFailures.incrementAndGet();
        boolean tooManyInARow = inARow >= failureThreshold && failureThreshold > 0 && isCalleeDown();
        if (tooMany != null || tooManyInARow) {
            open(tooManyInARow ? inARow : 0, tooMany, failure);
        }
    }

    private @Nullable WindowCounts record(boolean failed, long nanos) {
        long now = timed ? time.coarseNanoTime() : 0;
        if (lastSecond != null) {
            lastSecond.callEnds(now);
        }
        WindowCounts tooMany = window.record(failed, countIfSlow(nanos), now);
        if (failed && lastSecond != null) {
            lastSecond.callFailed();
        }
        return tooMany;
    }

    /** Whether failures in a row mean something: where calls are many, a few of them are chance. */
    private boolean isCalleeDown() {
        return lastSecond == null || lastSecond.hasFailed(failureRateThreshold);
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
