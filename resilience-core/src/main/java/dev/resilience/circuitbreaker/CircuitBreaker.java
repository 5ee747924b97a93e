package dev.resilience.circuitbreaker;

import dev.resilience.event.CallRejected;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.Events;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.fault.ExceptionRules;
import dev.resilience.fault.Fault;
import dev.resilience.fault.Faults;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A circuit breaker policy at work: refuses calls while the callee is down, probes it when the open period is over, and
 * closes when the probes succeed. Nothing happens without a call.
 *
 * <p>The state is one reference, moved by compare-and-set; there is no lock. Safe for use by many threads.
 */
public final class CircuitBreaker implements Layer {

    private static final Logger log = LoggerFactory.getLogger(CircuitBreaker.class);
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(CircuitBreaker.class, "state", State.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final String name;
    private final CircuitBreakerPolicy policy;
    private final ExceptionRules rules;
    private final ExceptionRules rulesForRefusals;
    private final Faults faults;
    private final TimeSource time;
    private final Events events;
    private final long slowNanos;
    private volatile State state;
    private final OutcomeCounters<CircuitBreakerOutcome> calls = new OutcomeCounters<>(CircuitBreakerOutcome.class);
    private final LongAdder slowCalls = new LongAdder();
    private final Map<CircuitState, Map<CircuitState, LongAdder>> transitions = new EnumMap<>(CircuitState.class);

    public CircuitBreaker(String name, CircuitBreakerPolicy policy, Faults faults, TimeSource time, Events events) {
        this.name = name;
        this.policy = policy;
        this.rules = new ExceptionRules(policy.recordOn(), policy.ignoreOn());
        this.rulesForRefusals = rules.within(ResilienceException.class);
        this.faults = faults;
        this.time = time;
        this.events = events;
        Duration slow = policy.slowCallDuration();
        this.slowNanos = slow == null ? Long.MAX_VALUE : Durations.toNanos(slow);
        for (CircuitState from : CircuitState.values()) {
            transitions.put(from, countersForAllStates());
        }
        this.state = fresh(policy.initialState());
    }

    /** A circuit breaker with the JDK's faults and the system's time. */
    public static CircuitBreaker of(String name, CircuitBreakerPolicy policy) {
        return new CircuitBreaker(name, policy, Faults.ofJdk(), TimeSource.system(), new Events());
    }

    public String name() {
        return name;
    }

    public CircuitBreakerPolicy policy() {
        return policy;
    }

    /** The state it is in. An open period that is over stays OPEN until the next call. */
    public CircuitState currentState() {
        return state.name();
    }

    /** The share of failures in the window, or in the one that opened it; NaN below the minimum of calls. */
    public double failureRate() {
        return state.failureRate();
    }

    /** Calls that ended, by how they ended. */
    public OutcomeCounters<CircuitBreakerOutcome> calls() {
        return calls;
    }

    /** Calls that took longer than {@code slow-call-duration}. */
    public long slowCalls() {
        return slowCalls.sum();
    }

    /** How often it went from one state to another. */
    public long transitions(CircuitState from, CircuitState to) {
        return transition(from, to).sum();
    }

    /** Refuses all calls until told otherwise. */
    public void forceOpen() {
        become(CircuitState.FORCED_OPEN);
    }

    /** Lets all calls through, with an empty window. */
    public void close() {
        become(CircuitState.CLOSED);
    }

    /** Lets all calls through and counts nothing until told otherwise. */
    public void disable() {
        become(CircuitState.DISABLED);
    }

    /** Goes back to the state and the empty window of the start; what was counted stays counted. */
    public void reset() {
        become(policy.initialState());
    }

    @Override
    public Step around(Step next) {
        return new CircuitBreakerStep(this, next);
    }

    Permit admit() {
        State current = state;
        Permit permit = current.tryAdmit();
        return permit != null ? permit : askAgain(current);
    }

    /** A call is refused only by the state that the breaker is in, not by one that ended while it was asked. */
    private Permit askAgain(State refusing) {
        State asked = refusing;
        for (State current = state; current != asked; current = state) {
            Permit permit = current.tryAdmit();
            if (permit != null) {
                return permit;
            }
            asked = current;
        }
        throw refusal(asked.retryAfter());
    }

    private CircuitOpenException refusal(Duration retryAfter) {
        count(CircuitBreakerOutcome.REJECTED);
        events.publish(
                () -> new CallRejected(time.now(), "circuit-breaker", name, CircuitBreakerOutcome.REJECTED.label()));
        return new CircuitOpenException(name, retryAfter);
    }

    /** The start of a call, or 0 where no policy wants to know how long it takes. */
    long startNanos() {
        return slowNanos == Long.MAX_VALUE ? 0 : time.nanoTime();
    }

    void succeeded(Permit permit, long start) {
        permit.succeeded(nanosSince(start));
    }

    void failed(Permit permit, long start, Throwable failure) {
        if (countsAsFailure(failure)) {
            permit.failed(nanosSince(start));
        } else {
            permit.ignored();
        }
    }

    private long nanosSince(long start) {
        return slowNanos == Long.MAX_VALUE ? 0 : time.nanoTime() - start;
    }

    private boolean countsAsFailure(Throwable failure) {
        boolean refusal = ResilienceException.isRefusal(failure);
        Boolean listed = (refusal ? rulesForRefusals : rules).verdict(failure);
        if (listed != null) {
            return listed;
        }
        if (refusal || Faults.isInterrupt(failure)) {
            return false;
        }
        return faults.classify(failure, Faults.TRANSIENT_STATUSES) != Fault.PERMANENT;
    }

    void count(CircuitBreakerOutcome outcome) {
        calls.count(outcome);
    }

    boolean countSlow(long nanos) {
        if (nanos <= slowNanos) {
            return false;
        }
        slowCalls.increment();
        return true;
    }

    /** Moves from one state instance to the next; false if another thread was first, and then nothing has changed. */
    boolean move(State from, State to) {
        if (!STATE.compareAndSet(this, from, to)) {
            return false;
        }
        announce(from.name(), to.name());
        return true;
    }

    State state() {
        return state;
    }

    TimeSource time() {
        return time;
    }

    private void become(CircuitState wanted) {
        State before = (State) STATE.getAndSet(this, fresh(wanted));
        if (before.name() != wanted) {
            announce(before.name(), wanted);
        }
    }

    private State fresh(CircuitState wanted) {
        return switch (wanted) {
            case CLOSED -> new ClosedState(this);
            case OPEN -> new OpenState(this, 0, Double.NaN);
            case HALF_OPEN -> new HalfOpenState(this, 0, Double.NaN);
            case FORCED_OPEN -> new ForcedOpenState(this);
            case DISABLED -> new DisabledState();
        };
    }

    private LongAdder transition(CircuitState from, CircuitState to) {
        return transitions.getOrDefault(from, Map.of()).getOrDefault(to, new LongAdder());
    }

    private static Map<CircuitState, LongAdder> countersForAllStates() {
        Map<CircuitState, LongAdder> counters = new EnumMap<>(CircuitState.class);
        for (CircuitState to : CircuitState.values()) {
            counters.put(to, new LongAdder());
        }
        return counters;
    }

    private void announce(CircuitState from, CircuitState to) {
        transition(from, to).increment();
        if (to == CircuitState.OPEN || to == CircuitState.FORCED_OPEN) {
            log.atWarn()
                    .addKeyValue("event", "circuit_opened")
                    .addKeyValue("policy", name)
                    .addKeyValue("from", from)
                    .log("Circuit breaker '{}': {} -> {}", name, from, to);
        } else if (to == CircuitState.CLOSED) {
            log.atInfo()
                    .addKeyValue("event", "circuit_closed")
                    .addKeyValue("policy", name)
                    .addKeyValue("from", from)
                    .log("Circuit breaker '{}': {} -> {}", name, from, to);
        }
        events.publish(() -> new CircuitStateChanged(time.now(), name, from, to));
    }
}
