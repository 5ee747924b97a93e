package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CircuitBreakerReports.StateChange;
import dev.resilience.circuitbreaker.Outage.Rule;
import dev.resilience.circuitbreaker.State.DisabledState;
import dev.resilience.circuitbreaker.State.ForcedOpenState;
import dev.resilience.circuitbreaker.State.OpenState;
import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.KeyedObjects;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.PerKey;
import dev.resilience.pipeline.Step;
import dev.resilience.time.Durations;
import dev.resilience.time.Moment;
import dev.resilience.time.ShortLock;
import dev.resilience.time.TimeSource;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A circuit breaker policy at work: refuses calls while the callee is down, probes it when the open period is over, and
 * closes when the probes succeed. Nothing happens without a call.
 *
 * <p>The state is one reference that calls read; a lock is held for the moment of a transition only. Each transition is
 * reported to the log and the listeners once and in order, on the thread that made it, or on one that is just reporting
 * another transition. Safe for use by many threads.
 */
public final class CircuitBreaker extends PerKey<CircuitBreaker> implements LiveObject<CircuitBreakerPolicy> {

    private static final int MIN_KEYS = 10;
    private static final int STATES = CircuitState.values().length;

    final FaultClassification faults;
    final TimeSource time;
    final CircuitBreakerReports reports;
    final LongAdder slowCalls;
    private final LongAdder refused = new LongAdder();
    private final ShortLock lock = new ShortLock();
    private final AtomicLongArray transitions;
    private final Queue<StateChange> unreported = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean reporting = new AtomicBoolean();

    volatile State state;

    /** For adapters; applications ask {@link dev.resilience.Resilience#circuitBreaker}. */
    public CircuitBreaker(String name, CircuitBreakerPolicy policy, Environment environment) {
        super(null);
        this.faults = environment.faults();
        this.time = environment.time();
        this.reports = new CircuitBreakerReports(name, environment, new OutcomeCounters<>(CircuitBreakerOutcome.class));
        this.slowCalls = new LongAdder();
        this.transitions = new AtomicLongArray(STATES * STATES);
        this.state = initial(Settings.of(policy), null);
    }

    private CircuitBreaker(String part, boolean isLogged, CircuitBreaker ofAll) {
        super(ofAll);
        this.faults = ofAll.faults;
        this.time = ofAll.time;
        this.reports = new CircuitBreakerReports(part, isLogged, ofAll.reports);
        this.slowCalls = ofAll.slowCalls;
        this.transitions = ofAll.transitions;
        this.state = initial(ofAll.state.settings, null);
    }

    /** {@inheritDoc} While this circuit breaker is not CLOSED, calls of all parts go through this one. */
    @Override
    public synchronized CircuitBreaker part(String name, boolean isLogged) {
        CircuitBreaker part = new CircuitBreaker(name, isLogged, this);
        parts.add(part);
        return part;
    }

    /** {@inheritDoc} One that has waited for a probe for longer than {@code max-open-duration} is as one that is CLOSED. */
    @Override
    public boolean isAtWork() {
        State now = state;
        double longest = 2.0 * Durations.toNanos(now.settings.policy().maxOpenDuration()); // open, and due
        return stays() || (now.name != CircuitState.CLOSED && time.nanoTime() - now.since.nanoTime() <= longest);
    }

    /** A part comes into one of these states by hand alone. */
    @Override
    public boolean stays() {
        CircuitState now = currentState();
        return now != CircuitState.CLOSED && now != CircuitState.OPEN && now != CircuitState.HALF_OPEN;
    }

    @Override
    protected int maxKeys() {
        return policy().maxKeys();
    }

    @Override
    public String name() {
        return reports.name();
    }

    /** What it works by now. */
    @Override
    public CircuitBreakerPolicy policy() {
        return state.settings.policy();
    }

    /** The state it is in. An open period that is over stays OPEN until the next call. */
    public CircuitState currentState() {
        return state.name;
    }

    /** The share of failures in the window, or in the one that opened it; NaN below the minimum of calls. */
    public double failureRate() {
        return state.failureRate();
    }

    /** Calls that ended, by how they ended. */
    public OutcomeCounters<CircuitBreakerOutcome> calls() {
        return reports.calls();
    }

    /** Calls that took longer than {@code slow-call-duration}. */
    public long slowCalls() {
        return slowCalls.sum();
    }

    /** How often it went from one state to another; 0 from a state to itself. */
    public long transitions(CircuitState from, CircuitState to) {
        return transitions.get(index(from, to));
    }

    /** What it shows of itself now: the state, why it is in it, since when and until when. */
    public CircuitBreakerStatus status() {
        return CircuitBreakerStatus.of(state, refused());
    }

    /**
     * Opens it as if one of its rules had: calls are refused for one open period from now, whatever the state, and then
     * it is probed. Probes that failed before do not count any more.
     *
     * <p>It is logged and published even if it is OPEN already; that is no transition, and not counted as one.
     */
    public void open() {
        moveByHand(before -> new OpenState(this, before.settings, Outage.of(this, Rule.OPENED_BY_HAND), now()));
    }

    /**
     * Begins a probing now, whatever the state, with all permits free and no success so far: what an open period that is
     * over does with the next call. Of a breaker that was open, the probings that have failed still count.
     *
     * <p>It is logged and published even if it is HALF_OPEN already; that is no transition, and not counted as one.
     */
    public void halfOpen() {
        moveByHand(before -> {
            boolean isProbed = before.name == CircuitState.OPEN || before.name == CircuitState.HALF_OPEN;
            Outage outage = isProbed ? before.outage : null;
            return new HalfOpenState(
                    this, before.settings, outage == null ? Outage.of(this, Rule.HALF_OPENED_BY_HAND) : outage, now());
        });
    }

    /** Refuses all calls until an operator or the application says otherwise. */
    public void forceOpen() {
        moveByHand(before -> before instanceof ForcedOpenState
                ? before
                : new ForcedOpenState(this, before.settings, Outage.of(this, Rule.FORCED_OPEN_BY_HAND), now()));
    }

    /** Lets all calls through at once, without a ramp and with an empty window. */
    public void close() {
        letThrough(CircuitState.CLOSED);
    }

    /** Lets all calls through and counts nothing until an operator or the application says otherwise. */
    public void disable() {
        letThrough(CircuitState.DISABLED);
    }

    /** Lets all calls through and counts them, with an empty window, and never opens until an operator or the application says otherwise. */
    public void metricsOnly() {
        letThrough(CircuitState.METRICS_ONLY);
    }

    /**
     * Goes back to the policy's initial state, a part to CLOSED, and an empty window, and forgets why it was open last; what was
     * counted stays counted.
     */
    public void reset() {
        moveByHand(before -> initial(before.settings, before));
    }

    private void letThrough(CircuitState to) {
        moveByHand(before -> {
            Outage last = before.outage == null ? null : before.outage.withoutFailure();
            return lettingThrough(to, before.settings, last, since(before, to));
        });
    }

    /** The state that it begins in, for the first time or anew: what the policy says holds for parts by the one of all. */
    private State initial(Settings settings, @Nullable State before) {
        CircuitState first = ofAll == null ? settings.policy().initialState() : CircuitState.CLOSED;
        Moment since = since(before, first);
        return switch (first) {
            case CLOSED, METRICS_ONLY, DISABLED -> lettingThrough(first, settings, null, since);
            case FORCED_OPEN -> new ForcedOpenState(this, settings, Outage.of(this, Rule.INITIAL_STATE), since);
            case OPEN -> new OpenState(this, settings, Outage.of(this, Rule.INITIAL_STATE), now());
            case HALF_OPEN -> throw new IllegalStateException("No policy begins half-open");
        };
    }

    private State lettingThrough(CircuitState state, Settings settings, @Nullable Outage last, Moment since) {
        return state == CircuitState.DISABLED
                ? new DisabledState(this, settings, last, since)
                : new ClosedState(this, settings, last, since, state == CircuitState.CLOSED);
    }

    /** A state that is entered again has lasted since it was entered first. */
    private Moment since(@Nullable State before, CircuitState after) {
        return before != null && before.name == after ? before.since : now();
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
     *   <li>HALF_OPEN: begins its probing anew, with all permits free and no success so far; stays so since it began.
     *   <li>FORCED_OPEN and DISABLED: stay so until an operator or the application says otherwise.
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
    public synchronized void reconfigure(CircuitBreakerPolicy policy) {
        Settings settings = Settings.of(policy);
        replace(before -> before.under(settings), false);
        parts.forEach(part -> part.replace(before -> before.under(settings), false));
    }

    /** Writes to the log what it has counted in place of single lines: refusals, and changes of its state. */
    public void flushLog() {
        reports.close();
    }

    @Override
    public Step around(Step next) {
        return new CircuitBreakerStep(this, next);
    }

    /**
     * A call is refused only by the state that the breaker is in, not by one that ended while it was asked. One that is let
     * through all the same changes nothing: the breaker opens, probes and closes as if each refusal were made. What an operator has forced open refuses every call.
     */
    Permit admit() {
        if (ofAll != null && ofAll.currentState() != CircuitState.CLOSED && !isBesideProbes(ofAll)) {
            return ofAll.admit(); // what an operator or half-of-keys has decided holds for all parts
        }
        State asked;
        do {
            asked = state;
            Permit permit = asked.tryAdmit();
            if (permit != null) {
                return permit;
            }
        } while (asked != state);
        if (!(asked instanceof ForcedOpenState)
                && !reports.enforces(asked.settings.policy().enforce())) {
            calls().count(CircuitBreakerOutcome.WOULD_REJECT);
            return new DisabledState(this, asked.settings, asked.outage, asked.since); // which no result changes
        }
        calls().count(CircuitBreakerOutcome.REJECTED);
        refused.increment();
        throw reports.refused(asked.refusal());
    }

    /** While the one of all probes, or is about to, a part that is not CLOSED itself is no probe for it, and decides alone. */
    private boolean isBesideProbes(CircuitBreaker whole) {
        State now = whole.state;
        boolean isProbed = now.name == CircuitState.HALF_OPEN || (now instanceof OpenState open && open.isProbeDue());
        return isProbed && currentState() != CircuitState.CLOSED;
    }

    long refused() {
        return refused.sum();
    }

    /** Moves from one state instance to the next; false if another thread was first, and then nothing has changed. */
    boolean move(State from, State to) {
        return replace(new StateChange(from, to, false));
    }

    private void moveByHand(UnaryOperator<State> successor) {
        replace(successor, true);
    }

    /** @param successor what follows depends on the state before it, and above all on its settings */
    private void replace(UnaryOperator<State> successor, boolean byHand) {
        State before;
        do {
            before = state;
        } while (!replace(new StateChange(before, successor.apply(before), byHand)));
    }

    /** One of several threads makes the change. It is queued under the lock, so reports come in order. */
    private boolean replace(StateChange change) {
        boolean isMade = lock.get(() -> {
            if (state != change.before()) {
                return false;
            }
            state = change.after();
            if (change.isTransition()) {
                transitions.incrementAndGet(index(change.from(), change.to()));
            }
            if (change.isReported()) {
                unreported.add(change);
            }
            return true;
        });
        if (isMade && change.isReported()) { // otherwise a live change, which has a lock that no listener may run under
            report();
            if (ofAll != null
                    && change.from() == CircuitState.CLOSED
                    && change.to() == CircuitState.OPEN
                    && !change.byHand()) {
                ofAll.keyOpened();
            }
        }
        return isMade;
    }

    /**
     * Opens for all keys when half of them are open; one whose next call is a probe is not. All are looked at for each key that
     * opens anew, which is some microseconds: it ends when half are open, and a key whose probe fails again is none.
     */
    private void keyOpened() {
        KeyedObjects<CircuitBreaker> all = keys();
        State now = state;
        if (all == null || all.size() < MIN_KEYS || now.name != CircuitState.CLOSED) {
            return;
        }
        long open = all.count(key -> key.state instanceof OpenState ofKey && !ofKey.isProbeDue());
        int known = all.size();
        if (2 * open >= known) {
            move(now, new OpenState(this, now.settings, Outage.of(this, Rule.halfOfKeys(open, known)), now()));
        }
    }

    /** A thread that finds another one at this leaves its own to it. */
    private void report() {
        while (!unreported.isEmpty() && reporting.compareAndSet(false, true)) {
            try {
                for (StateChange change = unreported.poll(); change != null; change = unreported.poll()) {
                    reports.changed(change);
                }
            } finally {
                reporting.set(false);
            }
        }
    }

    @SuppressWarnings("EnumOrdinal") // indexes an array that lives as long as the class
    private static int index(CircuitState from, CircuitState to) {
        return from.ordinal() * STATES + to.ordinal();
    }

    Moment now() {
        return Moment.now(time);
    }
}
