package dev.resilience.context;

import java.time.Duration;

/**
 * How long a call may wait or run: what its policy says, and never beyond its deadline.
 *
 * @param timeout the time itself
 * @param byDeadline whether the deadline leaves less than the policy
 */
public record EffectiveTimeout(Duration timeout, boolean byDeadline) {

    /** What a policy allows, under the current deadline; zero if that has passed. */
    public static EffectiveTimeout under(Duration timeoutOfPolicy) {
        Duration timeout = Deadline.limit(timeoutOfPolicy);
        return new EffectiveTimeout(timeout, timeout.compareTo(timeoutOfPolicy) < 0);
    }

    @Override
    public String toString() {
        return timeout + (byDeadline ? ", which was what its deadline left" : "");
    }
}
