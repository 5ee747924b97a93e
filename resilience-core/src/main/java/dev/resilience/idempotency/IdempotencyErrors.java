package dev.resilience.idempotency;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyStoreException;

/**
 * Why the transaction of a call that holds its key must not be committed, or another attempt of the call not run.
 *
 * @param method the method's full name
 */
record IdempotencyErrors(String policy, String method, IdempotencyPolicy settings) {

    IdempotencyInProgressException undecided() {
        return IdempotencyInProgressException.ofEarlierAttempt(
                "An earlier attempt of the call has a transaction whose end is not known yet (policy '" + policy + "')",
                settings.lease());
    }

    IdempotencyLeaseLostException lost() {
        return new IdempotencyLeaseLostException(
                "The call took longer than its lease, and another one has taken its idempotency key over (policy '"
                        + policy + "'): its transaction is rolled back");
    }

    IdempotencyLeaseLostException overtaken() {
        return new IdempotencyLeaseLostException("The call has ended or goes on with another attempt (policy '" + policy
                + "'): the transaction of this attempt is rolled back");
    }

    IdempotencyStoreException notKept(String why) {
        return new IdempotencyStoreException(prefix() + why + ", so its transaction is rolled back", null);
    }

    IdempotencyStoreException notWritten(RuntimeException cause) {
        return refusal(
                "the result of " + method + " could not be written in its transaction, which is rolled back", cause);
    }

    IdempotencyStoreException notLocked(RuntimeException cause) {
        return refusal(
                "the record of " + method + " could not be locked in its transaction, which is rolled back", cause);
    }

    private IdempotencyStoreException refusal(String why, RuntimeException cause) {
        return IdempotencyStoreException.ofAttempt(prefix() + why, cause);
    }

    private String prefix() {
        return "Idempotency '" + policy + "': ";
    }
}
