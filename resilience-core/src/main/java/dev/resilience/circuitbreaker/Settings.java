package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.window.CallStatistics;
import dev.resilience.circuitbreaker.window.CallWindow;
import dev.resilience.circuitbreaker.window.CountWindow;
import dev.resilience.circuitbreaker.window.TimeWindow;
import dev.resilience.exception.ResilienceException;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.fault.ExceptionRules;
import dev.resilience.fault.Fault;
import dev.resilience.pipeline.UnstoredAnswer;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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

    /** Statistics by which the breaker opens; their window does nothing if the policy looks at no rate. */
    CallStatistics statistics(TimeSource time) {
        double failureRate = policy.failureRateThreshold();
        double slowCallRate = judgesSlowCalls() ? policy.slowCallRateThreshold() : 0;
        CallWindow window =
                failureRate == 0 && slowCallRate == 0 ? CallWindow.none() : window(failureRate, slowCallRate, time);
        return new CallStatistics(window, policy.failureThreshold(), failureRate, time);
    }

    /** Statistics that are looked at and open nothing; they always have a window. */
    CallStatistics statisticsWithoutLimits(TimeSource time) {
        return new CallStatistics(window(0, 0, time), 0, 0, time);
    }

    private CallWindow window(double failureRate, double slowCallRate, TimeSource time) {
        CallWindow.Thresholds thresholds = new CallWindow.Thresholds(policy.minimumCalls(), failureRate, slowCallRate);
        return switch (policy.window().type()) {
            case TIME -> new TimeWindow(policy.window().duration(), thresholds, time);
            case COUNT -> new CountWindow(policy.window().size(), thresholds);
        };
    }

    /**
     * Whether a result counts as a failure. It does not if the rule for that is broken.
     *
     * @param reports hears of a broken rule
     */
    boolean countsAsFailure(@Nullable Object result, CircuitBreakerReports reports) {
        Predicate<@Nullable Object> rule = policy.recordOnResult();
        if (rule == null) {
            return false;
        }
        try {
            return rule.test(UnstoredAnswer.unwrap(result));
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            reports.brokenResultRule(broken);
            return false;
        }
    }

    /** Whether a failure counts; otherwise it says nothing about the callee. */
    boolean countsAsFailure(Throwable failure, CompositeFaultClassifier faults) {
        if (failure instanceof TimeLimitExceededException timeout && !timeout.isAboutCallee()) {
            return false; // even if the lists say so: a caller with little time must not open it for others
        }
        boolean refusal = ResilienceException.isRefusal(failure);
        Boolean listed = (refusal ? rulesForRefusals : rules).verdict(failure);
        if (listed != null) {
            return listed;
        }
        if (refusal || CompositeFaultClassifier.isInterrupt(failure)) {
            return false;
        }
        return faults.classify(failure, CompositeFaultClassifier.TRANSIENT_STATUSES) != Fault.PERMANENT;
    }
}
