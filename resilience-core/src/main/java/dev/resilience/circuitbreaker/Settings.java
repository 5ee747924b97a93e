package dev.resilience.circuitbreaker;

import dev.resilience.exception.ResilienceException;
import dev.resilience.fault.ExceptionRules;
import dev.resilience.time.Durations;
import java.time.Duration;
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

    /** Whether anybody wants to know how long a call takes: otherwise no clock is read. */
    boolean timeCalls() {
        return slowNanos != Long.MAX_VALUE;
    }

    /** Whether the policy's lists let a failure count, or {@code null} if they do not say. */
    @Nullable
    Boolean verdict(Throwable failure, boolean refusal) {
        return (refusal ? rulesForRefusals : rules).verdict(failure);
    }
}
