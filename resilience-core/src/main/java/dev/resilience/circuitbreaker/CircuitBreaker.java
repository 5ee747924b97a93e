package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.event.internal.OutcomeCounters;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Step;
import dev.resilience.time.Moment;
import dev.resilience.time.TimeSource;
import java.util.concurrent.atomic.LongAdder;

/**
 * A circuit breaker policy at work: refuses calls while the callee is down, probes it when the open period is over, and
 * closes when the probes succeed. Nothing happens without a call.
 *
 * <p>The state is one reference, moved by compare-and-set; no call waits for a lock. The log and the listeners hear of each
 * transition once and in order, on the thread that made it, or on the one that made the transition before and has not yet
 * told of that. Safe for use by many threads.
 */
public final class CircuitBreaker implements LiveObject<CircuitBreakerPolicy>, Layer {

    private final String name;
    private final CompositeFaultClassifier faults;
    private final TimeSource time;
    private final OutcomeCounters<CircuitBreakerOutcome> calls = new OutcomeCounters<>(CircuitBreakerOutcome.class);
    private final LongAdder slowCalls = new LongAdder();
    private final CircuitBreakerReports reports;
    private final Transitions transitions;

    public CircuitBreaker(
            String name,
            CircuitBreakerPolicy policy,
            CompositeFaultClassifier faults,
            TimeSource time,
            EventPublisher events) {
        this.name = name;
        this.faults = faults;
        this.time = time;
        this.reports = new CircuitBreakerReports(name, time, events);
        this.transitions = new Transitions(ByHand.initial(this, Settings.of(policy), now()), events);
    }

    /** A circuit breaker with the JDK's faults and the system's time. */
    public static CircuitBreaker of(String name, CircuitBreakerPolicy policy) {
        return new CircuitBreaker(
                name, policy, CompositeFaultClassifier.ofJdk(), TimeSource.system(), new EventPublisher());
    }

    @Override
    public String name() {
        return name;
    }

    /** What it works by now. */
    @Override
    public CircuitBreakerPolicy policy() {
        return state().settings.policy();
    }

    /** The state it is in. An open period that is over stays OPEN until the next call. */
    public CircuitState currentState() {
        return state().name();
    }

    /** The share of failures in the window, or in the one that opened it; NaN below the minimum of calls. */
    public double failureRate() {
        return state().failureRate();
    }

    /** Calls that ended, by how they ended. */
    public OutcomeCounters<CircuitBreakerOutcome> calls() {
        return calls;
    }

    /** Calls that took longer than {@code slow-call-duration}. */
    public long slowCalls() {
        return slowCalls.sum();
    }

    /** How often it went from one state to another; 0 from a state to itself. */
    public long transitions(CircuitState from, CircuitState to) {
        return transitions.count(from, to);
    }

    /** What it tells of itself now: the state, why it is in it, since when and until when. */
    public CircuitBreakerStatus status() {
        return CircuitBreakerStatus.of(state(), refused());
    }

    /**
     * Opens it as if one of its rules had: calls are refused for one open period from now, whatever the state, and then
     * it is probed. No failed probing before counts any more.
     *
     * <p>The log and the listeners hear of it even if it is OPEN already; that is no transition, and not counted as one.
     */
    public void open() {
        transitions.replace(ByHand::open, ByHand::isNews);
    }

    /**
     * Begins a probing now, whatever the state, with all permits free and no success so far: what an open period that is
     * over does with the next call. Of a breaker that was open, the probings that have failed still count.
     *
     * <p>The log and the listeners hear of it even if it is HALF_OPEN already; that is no transition, and not counted as one.
     */
    public void halfOpen() {
        transitions.replace(ByHand::halfOpen, ByHand::isNews);
    }

    /** Refuses all calls until told otherwise. */
    public void forceOpen() {
        transitions.replace(ByHand::forceOpen, ByHand::isNews);
    }

    /** Lets all calls through at once, without a ramp and with an empty window. */
    public void close() {
        transitions.replace(ByHand::close, ByHand::isNews);
    }

    /** Lets all calls through and counts nothing until told otherwise. */
    public void disable() {
        transitions.replace(ByHand::disable, ByHand::isNews);
    }

    /** Lets all calls through and counts them, with an empty window, and never opens until told otherwise. */
    public void metricsOnly() {
        transitions.replace(ByHand::metricsOnly, ByHand::isNews);
    }

    /**
     * Goes back to the policy's initial state and an empty window, and forgets why it was open last; what was counted
     * stays counted.
     */
    public void reset() {
        transitions.replace(ByHand::reset, ByHand::isNews);
    }

    /**
     * Changes the policy while calls are under way. From the moment this returns, nothing begins under the old policy
     * any more, and {@link #policy()} is the new one.
     *
     * <p>The breaker stays in the state that it is in: this is no transition, and what was counted stays counted.
     *
     * <ul>
     *   <li>CLOSED and METRICS_ONLY: keeps its window and the failures in a row where the new policy opens by the same
     *       calls, which is where its {@code failure-threshold}, {@code failure-rate-threshold}, {@code minimum-calls},
     *       {@code window} and {@code slow-call} keys are the same; begins with empty ones otherwise. Where a probing closed
     *       it, the new ramp counts from then.
     *   <li>OPEN: stays so since when it opened. How long it stays open is told by the new policy, as for a breaker that
     *       has failed as many probings; if that time is over, the next call is a probe.
     *   <li>HALF_OPEN: begins its probing anew, with all permits free and no success so far; stays so since it began, and
     *       {@code half-open.max-duration} counts from then.
     *   <li>FORCED_OPEN and DISABLED: stay so until told otherwise.
     * </ul>
     *
     * <p>No call under way is broken or lost. It ends by the policy that it began under, which tells whether it was slow
     * and whether it counts as a failure, and it is counted so. Where the window is kept it is part of it, and may open the
     * breaker; otherwise it decides nothing any more, as any result of the past. That goes for probes too: they hold no
     * permit of the new probing, so until they have ended there may be more calls under way than
     * {@code half-open.max-concurrent}.
     *
     * <p>The initial state of the new policy matters to {@link #reset()} alone.
     */
    @Override
    public void reconfigure(CircuitBreakerPolicy policy) {
        Settings settings = Settings.of(policy);
        transitions.replace(before -> before.under(settings), (before, after) -> false);
    }

    /** Writes to the log the refusals that it has counted in place of single lines. */
    public void flushLog() {
        reports.flushLog();
    }

    @Override
    public Step around(Step next) {
        return new CircuitBreakerStep(this, next);
    }

    Permit admit() {
        State current = state();
        Permit permit = current.tryAdmit();
        return permit != null ? permit : askAgain(current);
    }

    /** A call is refused only by the state that the breaker is in, not by one that ended while it was asked. */
    private Permit askAgain(State refusing) {
        State asked = refusing;
        for (State current = state(); current != asked; current = state()) {
            Permit permit = current.tryAdmit();
            if (permit != null) {
                return permit;
            }
            asked = current;
        }
        count(CircuitBreakerOutcome.REJECTED);
        throw reports.refused(asked.refusal());
    }

    void count(CircuitBreakerOutcome outcome) {
        calls.count(outcome);
    }

    long refused() {
        return calls.get(CircuitBreakerOutcome.REJECTED);
    }

    CircuitBreakerReports reports() {
        return reports;
    }

    void countSlow() {
        slowCalls.increment();
    }

    /** Moves from one state instance to the next; false if another thread was first, and then nothing has changed. */
    boolean move(State from, State to) {
        return transitions.move(from, to);
    }

    State state() {
        return transitions.state();
    }

    Moment now() {
        return Moment.now(time);
    }

    TimeSource time() {
        return time;
    }

    CompositeFaultClassifier faults() {
        return faults;
    }
}
