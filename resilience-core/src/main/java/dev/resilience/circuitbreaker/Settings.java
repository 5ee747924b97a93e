package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.window.CallWindow;
import dev.resilience.circuitbreaker.window.CountWindow;
import dev.resilience.circuitbreaker.window.TimeWindow;
import dev.resilience.exception.ResilienceException;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.fault.ExceptionRules;
import dev.resilience.fault.Fault;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;

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

    /** The window that the policy describes, or one that does nothing if the policy looks at no rate. */
    CallWindow window(TimeSource time) {
        boolean slowCallsMatter = timeCalls() && policy.slowCallRateThreshold() > 0;
        if (policy.failureRateThreshold() == 0 && !slowCallsMatter) {
            return CallWindow.none();
        }
        CallWindow.Thresholds thresholds = new CallWindow.Thresholds(
                policy.minimumCalls(),
                policy.failureRateThreshold(),
                slowCallsMatter ? policy.slowCallRateThreshold() : 0);
        return switch (policy.window().type()) {
            case TIME -> new TimeWindow(policy.window().duration(), thresholds, time);
            case COUNT -> new CountWindow(policy.window().size(), thresholds);
        };
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
