package dev.resilience.simulation;

/**
 * What one service sends to the next.
 *
 * @param attemptNumber the header X-Attempt-Number
 * @param cause the user's call that it serves, for the record alone: no service looks at it
 */
record Request(int attemptNumber, UserCall cause) {

    /** What a service sends on in its own so-manieth attempt to serve this request. */
    Request onAttempt(int ownAttempt) {
        if (ownAttempt > 1) {
            cause.retried();
        }
        return new Request(Math.max(attemptNumber, ownAttempt), cause);
    }
}
