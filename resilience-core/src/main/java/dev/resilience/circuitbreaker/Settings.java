package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CallWindow.CountWindow;
import dev.resilience.circuitbreaker.CallWindow.TimeWindow;
import dev.resilience.exception.ResilienceException;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.fault.ExceptionRules;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Objects;

/**
 * A policy and what is derived from it once. Each state instance has the one that it began under, so that a call is
 * judged by what held when it was admitted, whatever the policy is by the time it ends.
 *
 * @param rulesForRefusals the rules for what other layers refused
 * @param slowNanos a call longer than this is slow; {@link Long#MAX_VALUE} for none
 */
record Settings(CircuitBreakerPolicy policy, ExceptionRules rules, ExceptionRules rulesForRefusals, long slowNanos) {

    static Settings of(CircuitBreakerPolicy policy) {
        ExceptionRules rules = new ExceptionRules(policy.recordOn(), policy.ignoreOn());
        Duration slow = policy.slowCallDuration();
        return new Settings(
                policy,
                rules,
                rules.within(ResilienceException.class),
                slow == null ? Long.MAX_VALUE : Durations.toNanos(slow));
    }

    /** Whether it matters how long a call takes: otherwise no clock is read. */
    boolean timeCalls() {
        return slowNanos != Long.MAX_VALUE;
    }

    /** Whether slow calls can open the breaker. */
    boolean judgesSlowCalls() {
        return timeCalls() && policy.slowCallRateThreshold() > 0;
    }

    /** Whether the same calls open a breaker under both policies, so that what one has recorded holds for the other. */
    boolean opensAs(Settings other) {
        CircuitBreakerPolicy that = other.policy;
        return policy.failureThreshold() == that.failureThreshold()
                && policy.failureRateThreshold() == that.failureRateThreshold()
                && policy.minimumCalls() == that.minimumCalls()
                && policy.window().equals(that.window())
                && Objects.equals(policy.slowCallDuration(), that.slowCallDuration())
                && policy.slowCallRateThreshold() == that.slowCallRateThreshold();
    }

    /** @param opens whether the breaker opens by them; otherwise they are only looked at */
    CallStatistics statistics(TimeSource time, boolean opens) {
        double failureRate = opens ? policy.failureRateThreshold() : 0;
        double slowCallRate = opens && judgesSlowCalls() ? policy.slowCallRateThreshold() : 0;
        CallWindow window = window(failureRate, slowCallRate, time);
        return new CallStatistics(window, opens ? policy.failureThreshold() : 0, failureRate, time);
    }

    private CallWindow window(double failureRate, double slowCallRate, TimeSource time) {
        CallWindow.Thresholds thresholds = new CallWindow.Thresholds(policy.minimumCalls(), failureRate, slowCallRate);
        return switch (policy.window().type()) {
            case TIME -> new TimeWindow(policy.window().duration(), thresholds, time);
            case COUNT -> new CountWindow(policy.window().size(), thresholds);
        };
    }

    /** Whether a failure counts; otherwise it says nothing about the callee. */
    boolean countsAsFailure(Throwable failure, FaultClassification faults) {
        if (failure instanceof TimeLimitExceededException timeout && !timeout.isAboutCallee()) {
            return false; // even if the lists say so: a caller with little time must not open it for others
        }
        boolean refusal = ResilienceException.isRefusal(failure);
        Boolean listed = (refusal ? rulesForRefusals : rules).verdict(failure);
        if (listed != null) {
            return listed;
        }
        return !refusal
                && !FaultClassification.isInterrupt(failure)
                && faults.classify(failure, FaultClassification.TRANSIENT_STATUSES) != Fault.PERMANENT;
    }
}
