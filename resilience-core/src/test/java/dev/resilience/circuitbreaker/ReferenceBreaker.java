package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a circuit breaker should do: one thread, nothing packed, everything counted anew from lists. */
final class ReferenceBreaker {

    private static final int BUCKETS = 20;

    private final Map<CircuitBreakerOutcome, Long> calls = new EnumMap<>(CircuitBreakerOutcome.class);
    private final List<String> news = new ArrayList<>();
    private CircuitBreakerPolicy policy;
    private CircuitState state;
    private double rateThatOpened = Double.NaN;
    private long slowCalls;
    private int stay;
    private long since;
    private int failuresInARow;
    private int failedProbings;
    private int successesOfProbes;
    private final Deque<Ended> window = new ArrayDeque<>();
    private final List<Call> probes = new ArrayList<>();
    private final Supplier<Instant> wallClock;
    private Instant sinceByWallClock;
    private @Nullable String rule;
    private @Nullable String lastFailure;
    private @Nullable String lastFailureWhileClosed;
    private @Nullable Instant openedAt;
    private long callsThatOpened;
    private double shareThatOpened = Double.NaN;
    private long refusedBefore;

    ReferenceBreaker(CircuitBreakerPolicy policy, long now, Supplier<Instant> wallClock) {
        this.policy = policy;
        this.state = policy.initialState();
        this.since = now;
        this.wallClock = wallClock;
        this.sinceByWallClock = wallClock.get();
        for (CircuitBreakerOutcome outcome : CircuitBreakerOutcome.values()) {
            calls.put(outcome, 0L);
        }
        beginInitially();
    }

    /** An admitted call, and the stay in a state that admitted it. */
    static final class Call {

        final CircuitBreakerPolicy policy;
        private final int stay;
        private final CircuitState state;
        private final long start;

        Call(ReferenceBreaker breaker, long start) {
            this.policy = breaker.policy;
            this.stay = breaker.stay;
            this.state = breaker.state;
            this.start = start;
        }

        private boolean isLate(long now) {
            return state == CircuitState.HALF_OPEN
                    && now - start >= policy.halfOpen().probeTimeout().toNanos();
        }

        private boolean isSlow(long now) {
            Duration slow = policy.slowCallDuration();
            return slow != null && now - start > slow.toNanos();
        }
    }

    private record Ended(long bucket, boolean failed, boolean slow) {}

    CircuitState state() {
        return state;
    }

    CircuitBreakerPolicy policy() {
        return policy;
    }

    long calls(CircuitBreakerOutcome outcome) {
        return calls.get(outcome);
    }

    long slowCalls() {
        return slowCalls;
    }

    /** What listeners are told, in its order; whoever reads it clears it. */
    List<String> news() {
        return news;
    }

    long openNanosLeft(long now) {
        return openNanos() - (now - since);
    }

    Duration retryAfter(long now) {
        return switch (state) {
            case OPEN -> Duration.ofNanos(Math.max(1_000_000, openNanosLeft(now)));
            case FORCED_OPEN -> policy.openDuration();
            default -> Duration.ofSeconds(1);
        };
    }

    double failureRate(long now) {
        if (state == CircuitState.OPEN || state == CircuitState.HALF_OPEN) {
            return rateThatOpened;
        }
        forgetOldCalls(now);
        return state == CircuitState.CLOSED && hasWindow() && window.size() >= policy.minimumCalls()
                ? share(Ended::failed)
                : Double.NaN;
    }

    /** What it tells of itself. */
    CircuitBreakerStatus status(long now) {
        boolean open = state != CircuitState.CLOSED && state != CircuitState.DISABLED;
        forgetOldCalls(now);
        boolean counted = state == CircuitState.CLOSED && hasWindow() && !window.isEmpty();
        boolean opened = state == CircuitState.OPEN || state == CircuitState.HALF_OPEN;
        int inFlight = (int) probes.stream().filter(probe -> !probe.isLate(now)).count();
        return new CircuitBreakerStatus(
                state,
                sinceByWallClock,
                rule == null || failedProbings == 0
                        ? rule
                        : "a probe failed (probing " + failedProbings + "); before that: " + rule,
                lastFailure,
                openedAt,
                state == CircuitState.OPEN ? wallClock.get().plusNanos(openNanosLeft(now)) : null,
                state == CircuitState.OPEN && openNanosLeft(now) <= 0,
                open ? failedProbings : 0,
                open ? calls.get(CircuitBreakerOutcome.REJECTED) - refusedBefore : 0,
                state != CircuitState.HALF_OPEN
                        ? null
                        : new CircuitBreakerStatus.Probing(
                                inFlight,
                                policy.halfOpen().maxConcurrent(),
                                successesOfProbes,
                                policy.halfOpen().successThreshold()),
                counted ? share(Ended::failed) : opened ? shareThatOpened : Double.NaN,
                counted ? window.size() : opened ? callsThatOpened : 0);
    }

    /** The call that is let in, or null. */
    @Nullable
    Call admit(long now) {
        if (state == CircuitState.OPEN && openNanosLeft(now) <= 0) {
            become(CircuitState.HALF_OPEN, now);
        }
        boolean room = state != CircuitState.HALF_OPEN
                || probes.stream().filter(probe -> !probe.isLate(now)).count()
                        < policy.halfOpen().maxConcurrent();
        if (state == CircuitState.OPEN || state == CircuitState.FORCED_OPEN || !room) {
            calls.merge(CircuitBreakerOutcome.REJECTED, 1L, Long::sum);
            news.add("rejected");
            return null;
        }
        Call call = new Call(this, now);
        if (state == CircuitState.HALF_OPEN) {
            probes.add(call);
        }
        return call;
    }

    void end(Call call, CircuitBreakerOutcome how, @Nullable Throwable failure, long now) {
        if (call.state == CircuitState.DISABLED) {
            return;
        }
        CircuitBreakerOutcome outcome = call.isLate(now) ? CircuitBreakerOutcome.IGNORED : how;
        calls.merge(outcome, 1L, Long::sum);
        probes.remove(call);
        if (outcome == CircuitBreakerOutcome.IGNORED) {
            return;
        }
        boolean slow = call.isSlow(now);
        boolean failed = outcome == CircuitBreakerOutcome.FAILURE;
        slowCalls += slow ? 1 : 0;
        if (call.stay == stay && state == CircuitState.CLOSED) {
            lastFailureWhileClosed = failed ? nameOf(failure) : lastFailureWhileClosed;
            endWhileClosed(failed, slow, now);
        } else if (call.stay == stay && state == CircuitState.HALF_OPEN) {
            endOfProbe(failed, failure, now);
        }
    }

    private void endWhileClosed(boolean failed, boolean slow, long now) {
        failuresInARow = failed ? failuresInARow + 1 : 0;
        window.add(new Ended(bucket(now), failed, slow));
        forgetOldCalls(now);
        boolean tooMany = hasWindow()
                && window.size() >= policy.minimumCalls()
                && (atLeast(policy.failureRateThreshold(), share(Ended::failed))
                        || atLeast(policy.slowCallRateThreshold(), share(Ended::slow)));
        if (tooMany || (failed && policy.failureThreshold() > 0 && failuresInARow >= policy.failureThreshold())) {
            rateThatOpened = failureRate(now);
            openBecauseOf(ruleThatOpens(), lastFailureWhileClosed);
            callsThatOpened = hasWindow() ? window.size() : 0;
            shareThatOpened = callsThatOpened == 0 ? Double.NaN : share(Ended::failed);
            become(CircuitState.OPEN, now);
        }
    }

    private String ruleThatOpens() {
        if (policy.failureThreshold() > 0 && failuresInARow >= policy.failureThreshold()) {
            return failuresInARow == 1 ? "1 call failed" : failuresInARow + " calls in a row failed";
        }
        boolean failures = atLeast(policy.failureRateThreshold(), share(Ended::failed));
        double percent = 100 * share(failures ? Ended::failed : Ended::slow);
        String number = percent >= 10 ? "" + (int) (percent + 1e-9) : ("" + (int) (10 * percent + 1e-9) / 10.0);
        boolean byTime = policy.window().type() == Window.Type.TIME;
        return number.replaceFirst("\\.0$", "") + "% of " + (byTime ? "" : "the last ")
                + (window.size() == 1 ? "1 call" : window.size() + " calls")
                + (byTime ? " in the last " + policy.window().duration().toSeconds() + " s" : "")
                + (failures
                        ? " failed"
                        : " took longer than " + (policy.slowCallDuration().toNanos() == 1 ? "1 ns" : "2 s"));
    }

    private void openBecauseOf(String reason, @Nullable String failure) {
        rule = reason;
        lastFailure = failure;
        openedAt = wallClock.get();
        refusedBefore = calls.get(CircuitBreakerOutcome.REJECTED);
        failedProbings = 0;
        callsThatOpened = 0;
        shareThatOpened = Double.NaN;
    }

    private static @Nullable String nameOf(@Nullable Throwable failure) {
        return failure == null ? null : failure.getClass().getName();
    }

    private void endOfProbe(boolean failed, @Nullable Throwable failure, long now) {
        if (failed) {
            failedProbings++;
            lastFailure = nameOf(failure);
            become(CircuitState.OPEN, now);
        } else if (++successesOfProbes >= policy.halfOpen().successThreshold()) {
            become(CircuitState.CLOSED, now);
        }
    }

    /** What an operator does; an action that changes nothing still begins a new stay. */
    void operate(CircuitState next, long now) {
        boolean forcedTwice = next == CircuitState.FORCED_OPEN && state == next;
        boolean probesOn = next == CircuitState.HALF_OPEN && (state == CircuitState.OPEN || state == next);
        if (!forcedTwice && !probesOn) {
            rateThatOpened = Double.NaN;
            switch (next) {
                case OPEN -> openBecauseOf("opened by hand", null);
                case FORCED_OPEN -> openBecauseOf("forced open by hand", null);
                case HALF_OPEN -> openBecauseOf("set to half-open by hand", null);
                default -> {}
            }
        }
        become(next, now);
    }

    void reset(long now) {
        rateThatOpened = Double.NaN;
        become(policy.initialState(), now);
        beginInitially();
    }

    private void beginInitially() {
        rule = null;
        lastFailure = null;
        openedAt = null;
        failedProbings = 0;
        if (state == CircuitState.OPEN || state == CircuitState.FORCED_OPEN) {
            openBecauseOf("initial-state of the policy", null);
        }
    }

    private void become(CircuitState next, long now) {
        if (next != state || next == CircuitState.OPEN || next == CircuitState.HALF_OPEN) {
            news.add(state + " to " + next);
            sinceByWallClock = wallClock.get();
        }
        state = next;
        since = now;
        beginAnew();
    }

    void reconfigure(CircuitBreakerPolicy other, long now) {
        policy = other;
        since = state == CircuitState.OPEN ? since : now;
        beginAnew();
    }

    private void beginAnew() {
        stay++;
        failuresInARow = 0;
        lastFailureWhileClosed = null;
        successesOfProbes = 0;
        window.clear();
        probes.clear();
    }

    private long openNanos() {
        long nanos = policy.openDuration().toNanos();
        for (int i = 0; i < failedProbings && policy.openDurationMultiplier() > 1; i++) {
            long grown = (long) (nanos * policy.openDurationMultiplier());
            nanos = Math.min(grown, policy.maxOpenDuration().toNanos());
        }
        return nanos;
    }

    private boolean hasWindow() {
        return policy.failureRateThreshold() > 0
                || (policy.slowCallDuration() != null && policy.slowCallRateThreshold() > 0);
    }

    private double share(Predicate<Ended> part) {
        int count = 0;
        for (Ended call : window) {
            count += part.test(call) ? 1 : 0;
        }
        return (double) count / window.size();
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
