package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What opens a closed breaker, from a list of its calls that is counted anew for each of them. */
class ReferenceWindow {

    private final CircuitBreakerPolicy policy;
    private final long began;
    private final List<Ended> ended = new ArrayList<>();
    private int inARow;

    ReferenceWindow(CircuitBreakerPolicy policy, long began) {
        this.policy = policy;
        this.began = began;
    }

    record Ended(long at, boolean failed, boolean slow) {}

    void add(boolean failed, boolean slow, long now) {
        ended.add(new Ended(now - began, failed, slow));
        inARow = failed ? inARow + 1 : 0;
    }

    boolean isStreak() {
        return policy.failureThreshold() > 0 && inARow >= policy.failureThreshold();
    }

    double shareInLastSecond(long now) {
        return share(inSlots(50_000_000, now - began), Ended::failed);
    }

    boolean isRate(long now) {
        List<Ended> recent = recent(now - began);
        return recent.size() >= policy.minimumCalls()
                && (reaches(share(recent, Ended::failed), policy.failureRateThreshold())
                        || (looksAtSlowCalls() && reaches(share(recent, Ended::slow), policy.slowCallRateThreshold())));
    }

    double failureRate(long now) {
        List<Ended> recent = recent(now - began);
        return recent.size() >= policy.minimumCalls() ? share(recent, Ended::failed) : Double.NaN;
    }

    private boolean looksAtSlowCalls() {
        return policy.slowCallDuration() != null && policy.slowCallRateThreshold() > 0;
    }

    private List<Ended> recent(long now) {
        return policy.window().type() == Window.Type.TIME
                ? inSlots(policy.window().duration().toNanos() / 20, now)
                : ended.subList(Math.max(0, ended.size() - policy.window().size()), ended.size());
    }

    /** The last twenty slots, the present one included. */
    private List<Ended> inSlots(long slot, long now) {
        return ended.stream().filter(call -> call.at / slot > now / slot - 20).toList();
    }

    private static double share(List<Ended> calls, Predicate<Ended> part) {
        return (double) calls.stream().filter(part).count() / calls.size();
    }

    private static boolean reaches(double share, double threshold) {
        return threshold > 0 && share >= threshold;
    }
}
