package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a circuit breaker should do: one thread, nothing packed, everything counted anew from lists. */
final class ReferenceBreaker {

    private static final int BUCKETS = 20;

    private final CircuitBreakerPolicy policy;
    private final Map<CircuitBreakerOutcome, Long> calls = new EnumMap<>(CircuitBreakerOutcome.class);
    private final Map<String, Long> transitions = new HashMap<>();
    private CircuitState state = CircuitState.CLOSED;
    private double rateThatOpened = Double.NaN;
    private long slowCalls;
    private int stay;
    private long since;
    private int failuresInARow;
    private int failedProbings;
    private int successesOfProbes;
    private final Deque<Ended> window = new ArrayDeque<>();
    private final List<Call> probes = new ArrayList<>();

    ReferenceBreaker(CircuitBreakerPolicy policy, long now) {
        this.policy = policy;
        this.since = now;
        for (CircuitBreakerOutcome outcome : CircuitBreakerOutcome.values()) {
            calls.put(outcome, 0L);
        }
    }

    /** An admitted call, and the stay in a state that admitted it. */
    record Call(int stay, CircuitState state, long start) {}

    private record Ended(long bucket, boolean failed, boolean slow) {}

    CircuitState state() {
        return state;
    }

    Map<CircuitBreakerOutcome, Long> calls() {
        return calls;
    }

    long slowCalls() {
        return slowCalls;
    }

    long transitions(CircuitState from, CircuitState to) {
        return transitions.getOrDefault(from + " " + to, 0L);
    }

    long openNanosLeft(long now) {
        return openNanos() - (now - since);
    }

    double failureRate(long now) {
        forgetOldCalls(now);
        if (state == CircuitState.OPEN || state == CircuitState.HALF_OPEN) {
            return rateThatOpened;
        }
        return state == CircuitState.CLOSED && watchesRates() && window.size() >= policy.minimumCalls()
                ? share(window.stream().filter(Ended::failed).count())
                : Double.NaN;
    }

    /** The call that is let in, or null. */
    @Nullable
    Call admit(long now) {
        if (state == CircuitState.OPEN && openNanosLeft(now) <= 0) {
            become(CircuitState.HALF_OPEN, now);
        }
        boolean room = state != CircuitState.HALF_OPEN
                || probes.stream().filter(probe -> !isLate(probe, now)).count()
                        < policy.halfOpen().maxConcurrent();
        if (state == CircuitState.OPEN || state == CircuitState.FORCED_OPEN || !room) {
            calls.merge(CircuitBreakerOutcome.REJECTED, 1L, Long::sum);
            return null;
        }
        Call call = new Call(stay, state, now);
        if (state == CircuitState.HALF_OPEN) {
            probes.add(call);
        }
        return call;
    }

    void end(Call call, CircuitBreakerOutcome how, long now) {
        if (call.state == CircuitState.DISABLED) {
            return;
        }
        boolean late = call.state == CircuitState.HALF_OPEN && isLate(call, now);
        CircuitBreakerOutcome outcome = late ? CircuitBreakerOutcome.IGNORED : how;
        boolean slow = policy.slowCallDuration() != null
                && now - call.start > policy.slowCallDuration().toNanos();
        boolean failed = outcome == CircuitBreakerOutcome.FAILURE;
        calls.merge(outcome, 1L, Long::sum);
        probes.remove(call);
        if (outcome == CircuitBreakerOutcome.IGNORED) {
            return;
        }
        slowCalls += slow ? 1 : 0;
        if (call.stay == stay && state == CircuitState.CLOSED) {
            endWhileClosed(failed, slow, now);
        } else if (call.stay == stay && state == CircuitState.HALF_OPEN) {
            endOfProbe(failed, now);
        }
    }

    private void endWhileClosed(boolean failed, boolean slow, long now) {
        failuresInARow = failed ? failuresInARow + 1 : 0;
        window.add(new Ended(bucket(now), failed, slow));
        forgetOldCalls(now);
        long slowOnes = window.stream().filter(Ended::slow).count();
        boolean tooMany = watchesRates()
                && window.size() >= policy.minimumCalls()
                && (atLeast(policy.failureRateThreshold(), failureRate(now))
                        || atLeast(policy.slowCallRateThreshold(), share(slowOnes)));
        if (tooMany || (failed && policy.failureThreshold() > 0 && failuresInARow >= policy.failureThreshold())) {
            failedProbings = 0;
            double rate = failureRate(now);
            become(CircuitState.OPEN, now);
            rateThatOpened = rate;
        }
    }

    private void endOfProbe(boolean failed, long now) {
        if (failed) {
            failedProbings++;
            become(CircuitState.OPEN, now);
        } else if (++successesOfProbes >= policy.halfOpen().successThreshold()) {
            become(CircuitState.CLOSED, now);
        }
    }

    /** What an operator does; an action that changes nothing still begins a new stay. */
    void become(CircuitState next, long now) {
        if (next != state) {
            transitions.merge(state + " " + next, 1L, Long::sum);
        }
        boolean probing = next == CircuitState.HALF_OPEN || state == CircuitState.HALF_OPEN;
        rateThatOpened = probing && next != CircuitState.CLOSED ? rateThatOpened : Double.NaN;
        state = next;
        since = now;
        stay++;
        failuresInARow = 0;
        successesOfProbes = 0;
        window.clear();
        probes.clear();
    }

    private boolean isLate(Call probe, long now) {
        return now - probe.start >= policy.halfOpen().probeTimeout().toNanos();
    }

    private long openNanos() {
        Duration grown = policy.openDuration();
        for (int i = 0; i < failedProbings && grown.compareTo(policy.maxOpenDuration()) < 0; i++) {
            grown = Duration.ofNanos((long) (grown.toNanos() * policy.openDurationMultiplier()));
        }
        return Math.min(grown.toNanos(), policy.maxOpenDuration().toNanos());
    }

    private boolean watchesRates() {
        return policy.failureRateThreshold() > 0 || policy.slowCallDuration() != null;
    }

    private double share(long part) {
        return (double) part / window.size();
    }

    private static boolean atLeast(double threshold, double rate) {
        return threshold > 0 && rate >= threshold;
    }

    private long bucket(long now) {
        return (now - since) / (policy.window().duration().toNanos() / BUCKETS);
    }

    private void forgetOldCalls(long now) {
        boolean byTime = policy.window().type() == Window.Type.TIME;
        while (!window.isEmpty()
                && (byTime
                        ? window.getFirst().bucket() <= bucket(now) - BUCKETS
                        : window.size() > policy.window().size())) {
            window.removeFirst();
        }
    }
}
