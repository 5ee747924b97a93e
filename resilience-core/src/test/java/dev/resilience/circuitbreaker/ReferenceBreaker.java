package dev.resilience.circuitbreaker;

import static dev.resilience.event.CircuitBreakerOutcome.FAILURE;
import static dev.resilience.event.CircuitBreakerOutcome.IGNORED;
import static dev.resilience.event.CircuitBreakerOutcome.REJECTED;
import static dev.resilience.event.CircuitState.CLOSED;
import static dev.resilience.event.CircuitState.DISABLED;
import static dev.resilience.event.CircuitState.FORCED_OPEN;
import static dev.resilience.event.CircuitState.HALF_OPEN;
import static dev.resilience.event.CircuitState.METRICS_ONLY;
import static dev.resilience.event.CircuitState.OPEN;

import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a circuit breaker does, on one thread: its states. What opens it is in {@link ReferenceWindow}. */
class ReferenceBreaker {

    static final long WHOLE = 1_000_000_000;

    final Map<CircuitBreakerOutcome, Integer> calls = new EnumMap<>(CircuitBreakerOutcome.class);
    final List<String> news = new ArrayList<>();
    final List<Call> probes = new ArrayList<>();
    CircuitBreakerPolicy policy;
    CircuitState state;
    ReferenceWindow window;
    int slowCalls, failedProbings, successes;
    private long since, ramped;
    private boolean ramps;

    ReferenceBreaker(CircuitBreakerPolicy policy, long now) {
        this.policy = policy;
        this.window = new ReferenceWindow(policy, now);
        this.state = policy.initialState();
        this.since = now;
    }

    /** An admitted call; its window tells in which stay in a state that was. */
    record Call(CircuitBreakerPolicy policy, ReferenceWindow window, CircuitState state, long start) {}

    @Nullable
    Call admit(long now) {
        if (state == OPEN && openNanosLeft(now) <= 0) {
            become(HALF_OPEN, now);
        }
        probes.removeIf(probe -> isLate(probe, now));
        boolean full = state == HALF_OPEN && probes.size() == policy.halfOpen().maxConcurrent();
        if (state == OPEN || state == FORCED_OPEN || full || !isLetInByRamp(now)) {
            calls.merge(REJECTED, 1, Integer::sum);
            news.add("rejected");
            return null;
        }
        Call call = new Call(policy, window, state, now);
        probes.addAll(state == HALF_OPEN ? List.of(call) : List.of());
        return call;
    }

    void end(Call call, CircuitBreakerOutcome how, long now) {
        CircuitBreakerOutcome outcome = isLate(call, now) ? IGNORED : how;
        probes.remove(call);
        calls.merge(outcome, call.state == DISABLED ? 0 : 1, Integer::sum);
        if (call.state == DISABLED || outcome == IGNORED) {
            return;
        }
        boolean failed = outcome == FAILURE;
        boolean slow = isSlow(call, now);
        slowCalls += slow ? 1 : 0;
        if (call.window != window) {
            return;
        }
        if (state == METRICS_ONLY) {
            window.add(failed, slow, now);
        } else if (state == CLOSED && opens(failed, slow, now)) {
            become(OPEN, now);
        } else if (state == HALF_OPEN) {
            endProbe(failed || (slow && isSlowProbeAFailure()), now);
        }
    }

    private void endProbe(boolean failed, long now) {
        if (failed) {
            failedProbings++;
            become(OPEN, now);
        } else if (++successes == policy.halfOpen().successThreshold()) {
            failedProbings = 0;
            become(CLOSED, now);
            ramps = true;
        }
    }

    boolean isSlowProbeAFailure() {
        return policy.slowCallRateThreshold() > 0;
    }

    /** By an operator. */
    void operate(CircuitState next, long now) {
        failedProbings = next == HALF_OPEN && (state == OPEN || state == HALF_OPEN) ? failedProbings : 0;
        become(next, now);
    }

    void reconfigure(CircuitBreakerPolicy other, long now) {
        ReferenceWindow before = window;
        boolean kept = (state == CLOSED || state == METRICS_ONLY) && isWindowKept(other);
        begin(other, now);
        window = kept ? before : window;
    }

    boolean isWindowKept(CircuitBreakerPolicy other) {
        return openingRules(policy).equals(openingRules(other));
    }

    private static List<Object> openingRules(CircuitBreakerPolicy policy) {
        return List.of(
                policy.failureThreshold(),
                policy.failureRateThreshold(),
                policy.minimumCalls(),
                policy.window(),
                Optional.ofNullable(policy.slowCallDuration()),
                policy.slowCallRateThreshold());
    }

    private void begin(CircuitBreakerPolicy other, long now) {
        policy = other;
        window = new ReferenceWindow(other, now);
        successes = 0;
        ramped = 0;
        probes.clear();
    }

    private void become(CircuitState next, long now) {
        news.addAll(next != state || next == OPEN || next == HALF_OPEN ? List.of(state + " to " + next) : List.of());
        state = next;
        since = now;
        ramps = false;
        begin(policy, now);
    }

    long openNanosLeft(long now) {
        double grown = policy.openDuration().toNanos() * Math.pow(policy.openDurationMultiplier(), failedProbings);
        return (long) Math.min(grown, (double) policy.maxOpenDuration().toNanos()) - (now - since);
    }

    /** The first call passes; of those that follow, as many as the shares of their moments add up to. */
    boolean isLetInByRamp(long now) {
        double passed = (double) (now - since) / policy.ramp().toNanos();
        if (state != CLOSED || !ramps || !(passed < 1)) {
            return true;
        }
        long before = ramped == 0 ? WHOLE - WHOLE / 10 : ramped;
        ramped = before + (long) (WHOLE * Math.min(1, 0.1 + 0.9 * passed));
        return ramped / WHOLE > before / WHOLE;
    }

    private boolean opens(boolean failed, boolean slow, long now) {
        window.add(failed, slow, now);
        return (window.isStreak() && isStreak(window, now)) || window.isRate(now);
    }

    /** Whether failures in a row count: while enough of the calls of the last second failed. */
    boolean isStreak(ReferenceWindow calls, long now) {
        return calls.shareInLastSecond(now) >= policy.failureRateThreshold();
    }

    boolean isLate(Call call, long now) {
        return call.state == HALF_OPEN
                && now - call.start >= call.policy.halfOpen().probeTimeout().toNanos();
    }

    boolean isSlow(Call call, long now) {
        return call.policy.slowCallDuration() != null
                && now - call.start > call.policy.slowCallDuration().toNanos();
    }
}
