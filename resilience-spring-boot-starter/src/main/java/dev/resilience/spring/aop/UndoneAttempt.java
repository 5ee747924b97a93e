package dev.resilience.spring.aop;

import dev.resilience.idempotency.AttemptRecorder;
import dev.resilience.spring.transaction.RollbackMarks;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Reports that the transaction of an attempt was rolled back although its body returned, where the store does not write in
 * that transaction. Needs Spring's transactions on the class path.
 */
final class UndoneAttempt implements TransactionSynchronization {

    private final AttemptRecorder recorder;

    private UndoneAttempt(AttemptRecorder recorder) {
        this.recorder = recorder;
    }

    /** To be called when the body has returned, on its thread and in its transaction, if it has one. */
    static void reportRollback(AttemptRecorder recorder) {
        boolean isOpen = TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
        if (!isOpen || !recorder.hearsNothingOfTransaction()) {
            return;
        }
        if (RollbackMarks.isRollbackOnly()) { // a savepoint that is rolled back to is reported to no listener
            recorder.undone();
        } else {
            TransactionSynchronizationManager.registerSynchronization(new UndoneAttempt(recorder));
        }
    }

    @Override
    public void afterCompletion(int status) {
        if (status == STATUS_ROLLED_BACK) {
            recorder.undone();
        }
    }
}
