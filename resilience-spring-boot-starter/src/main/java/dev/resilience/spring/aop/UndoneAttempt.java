package dev.resilience.spring.aop;

import dev.resilience.idempotency.AttemptRecorder.Attempt;
import dev.resilience.spring.transaction.RollbackMarks;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Reports that the transaction of an attempt was rolled back although its body returned, where the store does not write in
 * that transaction. Needs Spring's transactions on the class path.
 */
final class UndoneAttempt implements TransactionSynchronization {

    private final Attempt attempt;

    private UndoneAttempt(Attempt attempt) {
        this.attempt = attempt;
    }

    /** To be called when the body has returned, on its thread and in its transaction, if it has one. */
    static void reportRollback(Attempt attempt) {
        boolean isOpen = TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
        if (!isOpen || !attempt.hearsNothingOfTransaction()) {
            return;
        }
        if (RollbackMarks.isMarkedByMethod() || RollbackMarks.isRollbackOnly()) {
            attempt.undone(); // now: the call may end before its transaction does, and its result is kept then
        } else {
            TransactionSynchronizationManager.registerSynchronization(new UndoneAttempt(attempt));
        }
    }

    @Override
    public void afterCompletion(int status) {
        if (status == STATUS_ROLLED_BACK) {
            attempt.undone();
        }
    }
}
