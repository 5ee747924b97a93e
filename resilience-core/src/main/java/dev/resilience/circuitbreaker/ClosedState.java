package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.Opening.Rule;
import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.circuitbreaker.window.CallStatistics;
import dev.resilience.circuitbreaker.window.CallWindow;
import dev.resilience.circuitbreaker.window.WindowCounts;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.time.Durations;
import dev.resilience.time.Moment;
import dev.resilience.time.Timestamps;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Calls pass; the outcome of each may open the breaker. After a probing only a part of the calls may pass at first.
 */
final class ClosedState extends CountingState {

    private final boolean afterProbing;
    private final LongAdder successes;

    /** Forgotten once it is over; written and read without order between threads, because one that is over is asked too. */
    private @Nullable Ramp ramp;

    ClosedState(CircuitBreaker breaker, Settings settings, @Nullable Opening last, Moment since) {
        this(breaker, settings, last, since, false, settings.statistics(breaker.time()));
    }

    private ClosedState(
            CircuitBreaker breaker,
            Settings settings,
            @Nullable Opening last,
            Moment since,
            boolean afterProbing,
            CallStatistics statistics) {
        super(breaker, settings, last, since, statistics);
        this.afterProbing = afterProbing;
        this.successes = breaker.calls().counter(CircuitBreakerOutcome.SUCCESS);
        this.ramp = afterProbing ? Ramp.since(since, settings.policy().ramp(), breaker.time()) : null;
    }

    static ClosedState afterProbing(HalfOpenState probing, Opening last) {
        Settings settings = probing.settings;
        Moment since = probing.breaker.now();
        CallStatistics statistics = settings.statistics(probing.breaker.time());
        return new ClosedState(probing.breaker, settings, last, since, true, statistics);
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
        CallStatistics kept = settings.opensAs(other) ? statistics : other.statistics(breaker.time());
        return new ClosedState(breaker, other, opening, since, afterProbing, kept);
    }

    /** The statistics come first: what they read is then not held up by the counter's atomic step. */
    @Override
    public void succeeded(long nanos) {
        WindowCounts tooMany = statistics.succeeded(countIfSlow(nanos));
        successes.increment();
        if (tooMany != null) {
            open(0, tooMany, statistics.lastFailure(), null);
        }
    }

    @Override
    public void failed(long nanos, @Nullable Throwable failure) {
        breaker.count(CircuitBreakerOutcome.FAILURE);
        String type = Opening.typeOf(failure);
        WindowCounts tooMany = statistics.failed(countIfSlow(nanos), type);
        int tooManyInARow = statistics.oneMoreInARow();
        if (tooMany != null || tooManyInARow > 0) {
            open(tooManyInARow, tooMany, type, failure);
        }
    }

    /**
     * Calls that end after the breaker has left this state come by here too, at a high rate perhaps: they need no words.
     * Those of a state whose statistics another one has taken over open that one.
     *
     * @param inARow how many calls in a row have failed, if these are too many; or 0
     * @param tooMany what the window held when one of its rates was too high; or null
     * @param lastFailure the type of the last failure, if there was one
     * @param failure what the last call threw, if that is the one that opens
     */
    private void open(
            int inARow, @Nullable WindowCounts tooMany, @Nullable String lastFailure, @Nullable Throwable failure) {
        State now = breaker.state();
        while (now instanceof ClosedState closed && closed.statistics == statistics) {
            if (breaker.move(closed, closed.opened(inARow, tooMany, lastFailure, failure))) {
                return;
            }
            now = breaker.state();
        }
    }

    private OpenState opened(
            int inARow, @Nullable WindowCounts tooMany, @Nullable String lastFailure, @Nullable Throwable failure) {
        CircuitBreakerPolicy policy = settings.policy();
        CallWindow window = statistics.window();
        WindowCounts counts = tooMany == null ? window.countsAtLastCall() : tooMany;
        boolean slow = inARow == 0 && !window.isFailureRateReached(counts);
        String rule = inARow > 0
                ? Rule.consecutiveFailures(inARow)
                : slow ? Rule.slowCallRate(counts, policy) : Rule.failureRate(counts, policy.window());
        double rate = counts.calls() >= policy.minimumCalls() ? counts.failureRate() : Double.NaN;
        return new OpenState(breaker, settings, Opening.of(breaker, rule, !slow, lastFailure, failure, counts, rate));
    }
}
