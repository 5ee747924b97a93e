package dev.resilience.idempotency;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Why the transaction of a call that holds its key must not be committed, or another attempt of the call not run.
 *
 * @param method the method's full name
 */
record Refusals(String policy, String method, IdempotencyPolicy settings) {

    IdempotencyInProgressException earlierAttemptIsCommitting() {
        return new IdempotencyInProgressException(
                "An earlier attempt of the call is about to be committed (policy '" + policy + "')", settings.lease());
    }

    IdempotencyLeaseLostException keyIsAnotherCalls() {
        return new IdempotencyLeaseLostException(
                "The call took longer than its lease, and another one has taken its idempotency key over (policy '"
                        + policy + "'): its transaction is rolled back");
    }

    IdempotencyLeaseLostException keyIsAnotherAttempts() {
        return new IdempotencyLeaseLostException("Another attempt of the call has its idempotency key (policy '"
                + policy + "'): the transaction of this one is rolled back");
    }

    IdempotencyStoreException notKept(String why) {
        return refusal(why + ", so its transaction is rolled back", null);
    }

    IdempotencyStoreException notWritten(RuntimeException cause) {
        return refusal(
                "the result of " + method + " could not be written in its transaction, which is rolled back", cause);
    }

    IdempotencyStoreException notLocked(RuntimeException cause) {
        return refusal(
                "the record of " + method + " could not be locked in its transaction, which is rolled back", cause);
    }

    private IdempotencyStoreException refusal(String why, @Nullable RuntimeException cause) {
        return new IdempotencyStoreException("Idempotency '" + policy + "': " + why, cause);
    }
}
