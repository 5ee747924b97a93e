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

    IdempotencyStoreException notSeen() {
        return new IdempotencyStoreException(
                prefix() + "the transaction of " + method
                        + " does not see the record of its own call, because it had read"
                        + " something before the call began and has the isolation REPEATABLE READ or SERIALIZABLE, so it is"
                        + " rolled back. Begin the transaction at the method, or read nothing in it before the call, or use"
                        + " READ COMMITTED",
                null);
    }

    IdempotencyStoreException doomed() {
        return new IdempotencyStoreException(
                prefix() + "the transaction of " + method + " goes on after an attempt in it was refused; it is rolled"
                        + " back, so that no other attempt is made in it",
                null);
    }

    IdempotencyStoreException notWritten(Throwable cause) {
        return refusal(
                "the result of " + method + " could not be written in its transaction, which is rolled back", cause);
    }

    IdempotencyStoreException notLocked(RuntimeException cause) {
        return refusal(
                "the record of " + method + " could not be locked in its transaction, which is rolled back", cause);
    }

    private IdempotencyStoreException refusal(String why, Throwable cause) {
        return IdempotencyStoreException.ofAttempt(prefix() + why, cause);
    }

    private String prefix() {
        return "Idempotency '" + policy + "': ";
    }
}
