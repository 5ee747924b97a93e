package dev.resilience.spring.circuitbreaker;

import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerStatus;
import dev.resilience.event.CircuitState;
import dev.resilience.pipeline.KeyedObjects;
import dev.resilience.spring.kind.Action;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import dev.resilience.spring.kind.Shown;
import dev.resilience.spring.kind.Shown.As;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Circuit breakers: {@code @CircuitBreaker} and {@code resilience.circuit-breaker}. */
public final class CircuitBreakerKind
        extends ConfiguredKind<dev.resilience.annotation.CircuitBreaker, CircuitBreakerPolicy, CircuitBreaker> {

    private static final MeterFamily STATE = new MeterFamily(
            "resilience.circuitbreaker.state",
            null,
            "State of the circuit breaker: 0 closed, 1 open, 2 half-open, 3 forced open, 4 disabled, 5 metrics only");
    private static final MeterFamily FAILURE_RATE = new MeterFamily(
            "resilience.circuitbreaker.failure.rate",
            null,
            "Share of failed calls in the window, 0 to 1; while open, the share that opened the circuit breaker");
    private static final MeterFamily CALLS = new MeterFamily(
            "resilience.circuitbreaker.calls", "calls", "Calls through the circuit breaker by how they ended");
    private static final MeterFamily SLOW_CALLS = new MeterFamily(
            "resilience.circuitbreaker.slow.calls", "calls", "Calls that took longer than slow-call-duration");
    private static final MeterFamily TRANSITIONS = new MeterFamily(
            "resilience.circuitbreaker.transitions", "transitions", "Changes of the circuit breaker's state");

    private static final MeterFamily KEYS = new MeterFamily(
            "resilience.circuitbreaker.keys", null, "Keys that have a circuit breaker of their own, by its state");

    public CircuitBreakerKind() {
        super(
                "circuit-breaker",
                dev.resilience.annotation.CircuitBreaker.class,
                "bulkhead",
                CircuitBreakerPolicy.defaults());
    }

    @Override
    public CircuitBreaker create(String name, CircuitBreakerPolicy policy, KindContext context) {
        return new CircuitBreaker(name, policy, context.environment());
    }

    /** Whether the containers of the listeners that a circuit breaker protects pause now. */
    public static boolean pausesListeners(CircuitBreaker breaker) {
        CircuitBreakerStatus status = breaker.status();
        boolean refuses = refusesByRules(breaker) && !status.probeDue();
        return breaker.policy().pauseListeners() && (refuses || status.state() == CircuitState.FORCED_OPEN);
    }

    /** One that only counts what it would refuse is none that the application suffers by. */
    private static boolean refusesByRules(CircuitBreaker breaker) {
        return breaker.currentState() == CircuitState.OPEN && breaker.policy().enforce() > 0;
    }

    @Override
    public @Nullable String withoutEffect(String key, CircuitBreakerPolicy policy) {
        boolean isOfTime = policy.window().type() == CircuitBreakerPolicy.Window.Type.TIME;
        boolean countsSlow = policy.slowCallDuration() != null && policy.slowCallRateThreshold() > 0;
        String noRate = because(
                policy.failureRateThreshold() == 0 && !countsSlow && policy.initialState() != CircuitState.METRICS_ONLY,
                "failure-rate-threshold is 0, and there is none for slow calls");
        Duration open = policy.openDuration(); // one that is longer than what is inherited needs a limit of its own
        boolean isShort = open.compareTo(policy.maxOpenDuration()) < 0
                && open.compareTo(CircuitBreakerPolicy.defaults().maxOpenDuration()) <= 0;
        return switch (key) {
            case "window.size" -> isOfTime ? "window.type is time" : noRate;
            case "window.duration" -> isOfTime ? noRate : "window.type is count";
            case "window.type", "minimum-calls" -> noRate;
            case "slow-call-rate-threshold" ->
                because(policy.slowCallDuration() == null, "there is no slow-call-duration");
            case "open-duration-multiplier" ->
                because(
                        policy.openDurationMultiplier() != 1 && open.compareTo(policy.maxOpenDuration()) >= 0,
                        "max-open-duration is not longer than open-duration");
            case "max-open-duration" ->
                because(policy.openDurationMultiplier() == 1 && isShort, "open-duration-multiplier is 1");
            default -> null;
        };
    }

    @Override
    public Map<String, Object> state(CircuitBreaker breaker) {
        Map<String, Object> state = CircuitBreakerView.of(breaker.status());
        if (breaker.isPart()) {
            return state;
        }
        state.put("calls", breaker.calls().byLabel());
        state.put("slowCalls", breaker.slowCalls());
        if (breaker.policy().pauseListeners()) {
            state.put("listenersPaused", pausesListeners(breaker));
        }
        return state;
    }

    @Override
    public @Nullable String trouble(CircuitBreaker breaker) {
        return switch (breaker.currentState()) {
            case OPEN ->
                refusesByRules(breaker) ? "is open and refuses calls" : "is open and counts what it would refuse";
            case HALF_OPEN -> "is half-open and probes with a few calls";
            case FORCED_OPEN -> "is forced open and refuses calls until it is closed by hand";
            case CLOSED, DISABLED, METRICS_ONLY ->
                breaker.status().ramp() == null ? null : "is closed again and lets in a part of the calls, which grows";
        };
    }

    @Override
    public List<Shown> shown() {
        return List.of(
                new Shown("state", "state", As.STATE),
                new Shown("failure rate", "failureRate", As.SHARE),
                new Shown("calls", "calls", As.RATE),
                new Shown("in this state", "since", As.SINCE),
                new Shown("next probe", "nextProbe", As.UNTIL),
                new Shown("all calls again", "ramp.until", As.UNTIL),
                new Shown("opened because", "reason", As.TEXT),
                new Shown("last failure", "lastFailure", As.TEXT));
    }

    @Override
    public void meters(CircuitBreaker breaker, Meters meters) {
        meters.gauge(STATE, breaker, CircuitBreakerKind::number);
        meters.gauge(FAILURE_RATE, breaker, CircuitBreaker::failureRate);
        meters.outcomes(CALLS, breaker.calls());
        meters.counter(SLOW_CALLS, breaker, CircuitBreaker::slowCalls);
        KeyedObjects<CircuitBreaker> keys = breaker.keys();
        for (CircuitState from : CircuitState.values()) {
            if (keys != null) {
                meters.gauge(KEYS, keys, k -> k.count(key -> key.currentState() == from), "state", from.label());
            }
            for (CircuitState to : CircuitState.values()) {
                if (from != to) {
                    meters.counter(
                            TRANSITIONS, breaker, b -> b.transitions(from, to), "from", from.label(), "to", to.label());
                }
            }
        }
    }

    @SuppressWarnings("EnumOrdinal") // the numbers of the gauge are the order of declaration, and documented so
    private static double number(CircuitBreaker breaker) {
        return breaker.currentState().ordinal();
    }

    @Override
    public List<String> actions() {
        return List.of("open", "half-open", "force-open", "close", "disable", "metrics-only", "reset");
    }

    @Override
    public @Nullable Map<String, Object> act(CircuitBreaker breaker, Action action) {
        switch (action.name()) {
            case "open" -> breaker.open();
            case "half-open" -> breaker.halfOpen();
            case "force-open" -> breaker.forceOpen();
            case "close" -> breaker.close();
            case "disable" -> breaker.disable();
            case "metrics-only" -> breaker.metricsOnly();
            default -> breaker.reset();
        }
        return null;
    }

    @Override
    public Health health(CircuitBreaker breaker) {
        CircuitState state = breaker.currentState();
        boolean open = refusesByRules(breaker) || state == CircuitState.FORCED_OPEN;
        return new Health(state.name(), open && breaker.policy().health() == CircuitBreakerPolicy.Health.DOWN);
    }

    @Override
    public void close(CircuitBreaker breaker) {
        breaker.flushLog();
    }

    @Override
    public void reset(CircuitBreaker breaker) {
        breaker.reset();
        super.reset(breaker);
    }
}
