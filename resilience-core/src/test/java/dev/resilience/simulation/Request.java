package dev.resilience.simulation;

import dev.resilience.context.Attempt;

/**
 * What one service sends to the next.
 *
 * @param attemptNumber the header X-Attempt-Number
 * @param cause the user's call that it serves, for the record alone: no service looks at it
 */
record Request(int attemptNumber, UserCall cause) {

    /** A request of a user, who tries once. */
    static Request ofUser(UserCall cause) {
        return new Request(1, cause);
    }

    /** What a service sends in the attempt that it is in. */
    static Request now(UserCall cause) {
        Attempt attempt = Attempt.current();
        if (attempt == null || attempt.number() == 1) {
            return new Request(1, cause);
        }
        cause.retried();
        return new Request(attempt.number(), cause);
    }
}
