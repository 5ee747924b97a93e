package dev.resilience.spring.idempotency.attempt;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.idempotency.IdempotencyPolicy;

/**
 * Why the transaction of a call that holds its key must not be committed, or another attempt of the call not run.
 *
 * @param method the method's full name
 */
record AttemptErrors(String policy, String method, IdempotencyPolicy settings) {

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
        return refused(why + ", so its transaction is rolled back");
    }

    IdempotencyStoreException notSeen() {
        return refused("the transaction of " + method + " does not see the record of its own call, because it had read"
                + " something before the call began and has the isolation REPEATABLE READ or SERIALIZABLE, so it is"
                + " rolled back. Begin the transaction at the method, or read nothing in it before the call, or use"
                + " READ COMMITTED");
    }

    IdempotencyStoreException doomed() {
        return refused("the transaction of " + method + " goes on after an attempt in it was refused; it is rolled"
                + " back, so that no other attempt is made in it");
    }

    private IdempotencyStoreException refused(String why) {
        return new IdempotencyStoreException("Idempotency '" + policy + "': " + why, null);
    }

    /** As {@link #failed}, unless the cause is a refusal itself. */
    ResilienceException refusal(String what, String done, RuntimeException cause) {
        return cause instanceof ResilienceException refused ? refused : failed(what, done, cause);
    }

    /** @param what the record or the result, which could not be locked or written */
    IdempotencyStoreException failed(String what, String done, Throwable cause) {
        String why = " could not be " + done + " in its transaction, which is rolled back";
        return IdempotencyStoreException.ofAttempt(
                "Idempotency '" + policy + "': the " + what + " of " + method + why, cause);
    }
}
