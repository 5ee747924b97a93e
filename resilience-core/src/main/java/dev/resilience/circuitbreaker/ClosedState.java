package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CallWindow.WindowCounts;
import dev.resilience.circuitbreaker.Outage.Rule;
import dev.resilience.circuitbreaker.Outage.Start;
import dev.resilience.circuitbreaker.State.OpenState;
import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.time.Durations;
import dev.resilience.time.Moment;
import dev.resilience.time.TimeSource;
import dev.resilience.time.Timestamps;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Calls pass and are counted; the outcome of each may open the breaker, unless it is METRICS_ONLY. After a probing only a
 * part of the calls may pass at first. The state itself is the permit of every call it admits, so that admitting allocates
 * nothing.
 */
final class ClosedState extends State implements Permit {

    private final boolean opens;
    private final boolean afterProbing;
    private final LongAdder successes;

    /** Shared with the state that follows when the policy changes and the same calls are counted. */
    private final CallStatistics statistics;

    /** Forgotten once it is over; written and read without order between threads, because one that is over is asked too. */
    private @Nullable Ramp ramp;

    /** @param opens whether it is CLOSED and not METRICS_ONLY */
    ClosedState(CircuitBreaker breaker, Settings settings, @Nullable Outage last, Moment since, boolean opens) {
        this(breaker, settings, last, since, opens, false, settings.statistics(breaker.time, opens));
    }

    private ClosedState(
            CircuitBreaker breaker,
            Settings settings,
            @Nullable Outage last,
            Moment since,
            boolean opens,
            boolean afterProbing,
            CallStatistics statistics) {
        super(opens ? CircuitState.CLOSED : CircuitState.METRICS_ONLY, breaker, settings, last, since);
        this.opens = opens;
        this.afterProbing = afterProbing;
        this.statistics = statistics;
        this.successes = breaker.calls().counter(CircuitBreakerOutcome.SUCCESS);
        this.ramp = afterProbing ? new Ramp(since, settings.policy().ramp(), breaker.time) : null;
    }

    static ClosedState afterProbing(HalfOpenState probing, Outage last) {
        CircuitBreaker breaker = probing.breaker;
        CallStatistics statistics = probing.settings.statistics(breaker.time, true);
        return new ClosedState(breaker, probing.settings, last, breaker.now(), true, true, statistics);
    }

    @Override
    double failureRate() {
        return statistics.window.failureRate();
    }

    @Override
    WindowCounts windowCounts() {
        return statistics.window.counts();
    }

    @Override
    public Settings settings() {
        return settings;
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

    /** What keeps a part of the calls back; {@code null} where nothing does. */
    @Nullable
    Ramp ramp() {
        Ramp now = ramp;
        return now == null || now.isOver() ? null : now;
    }

    @Override
    String explanation() {
        Ramp now = ramp;
        Outage last = outage;
        if (now == null || last == null) {
            return super.explanation();
        }
        return "closed since " + since.text() + ", and its load comes back over " + Durations.inWords(now.duration())
                + ": all calls are let in from " + Timestamps.text(wallTimeIn(now.left())) + "; it was open before: "
                + last.explanation();
    }

    @Override
    State under(Settings other) {
        CallStatistics kept = settings.opensAs(other) ? statistics : other.statistics(breaker.time, opens);
        return new ClosedState(breaker, other, outage, since, opens, afterProbing, kept);
    }

    /** The statistics come first: what they read is then not held up by the counter's atomic step. */
    @Override
    public void succeeded(long nanos) {
        WindowCounts tooMany = statistics.succeeded(countIfSlow(nanos));
        successes.increment();
        if (tooMany != null) {
            open(0, tooMany, statistics.lastFailure, null);
        }
    }

    @Override
    public void failed(long nanos, @Nullable Throwable failure) {
        breaker.calls().count(CircuitBreakerOutcome.FAILURE);
        String type = Outage.typeOf(failure);
        WindowCounts tooMany = statistics.failed(countIfSlow(nanos), type);
        int tooManyInARow = statistics.recordConsecutiveFailure();
        if (tooMany != null || tooManyInARow > 0) {
            open(tooManyInARow, tooMany, type, failure);
        }
    }

    @Override
    public void ignored() {
        breaker.calls().count(CircuitBreakerOutcome.IGNORED);
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
        State now = breaker.state;
        while (now instanceof ClosedState closed && closed.statistics == statistics) {
            if (breaker.move(closed, closed.opened(inARow, tooMany, lastFailure, failure))) {
                return;
            }
            now = breaker.state;
        }
    }

    private OpenState opened(
            int inARow, @Nullable WindowCounts tooMany, @Nullable String lastFailure, @Nullable Throwable failure) {
        CircuitBreakerPolicy policy = settings.policy();
        CallWindow window = statistics.window;
        WindowCounts counts = tooMany == null ? window.countsAtLastCall() : tooMany;
        boolean slow = inARow == 0 && !window.isFailureRateReached(counts);
        String rule = inARow > 0
                ? Rule.consecutiveFailures(inARow)
                : slow ? Rule.slowCallRate(counts, policy) : Rule.failureRate(counts, policy.window());
        double rate = counts.calls() >= policy.minimumCalls() ? counts.failureRate() : Double.NaN;
        Start start = new Start(rule, counts, rate, breaker.now(), breaker.refused());
        return new OpenState(breaker, settings, Outage.of(start, !slow, lastFailure, failure), breaker.now());
    }

    /**
     * Lets calls come back little by little after a breaker has closed: a tenth of them at first, all of them when the ramp's
     * time is over, and the share grows evenly between. The first call passes.
     *
     * <p>Each call adds the share of its moment to a sum, and is let in if the sum passes a whole number. So the calls that are
     * let in are spread evenly, without chance and without a lock.
     */
    static final class Ramp {

        private static final long WHOLE = 1_000_000_000;
        private static final long FIRST_SHARE = WHOLE / 10;

        private final TimeSource time;
        private final long start;
        private final long nanos;
        private final AtomicLong sum = new AtomicLong(WHOLE - FIRST_SHARE);

        /** The ramp of a breaker that closed at a moment. */
        Ramp(Moment closed, Duration duration, TimeSource time) {
            this.time = time;
            this.start = closed.nanoTime();
            this.nanos = Durations.toNanos(duration);
        }

        boolean isOver() {
            return elapsed() >= nanos;
        }

        /** Whether one more call is let in. */
        boolean admits() {
            long share = (long) (WHOLE * share());
            long before = sum.getAndAdd(share);
            return (before + share) / WHOLE > before / WHOLE;
        }

        /** The share of calls that is let in now, 0.1 to 1. */
        double share() {
            double passed = Math.min(1, (double) elapsed() / nanos);
            return Math.min(1, 0.1 + 0.9 * passed);
        }

        /** How long until all calls are let in. */
        Duration left() {
            return Duration.ofNanos(Math.max(0, nanos - elapsed()));
        }

        Duration duration() {
            return Duration.ofNanos(nanos);
        }

        /** By the coarse clock, which may still be before the moment of the start. */
        private long elapsed() {
            return Math.max(0, time.coarseNanoTime() - start);
        }
    }
}
