package dev.resilience.spring.transaction;

import dev.resilience.retry.TransactionState;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Asks Spring for the transaction of the current thread. When an attempt has ended, so have the transactions that were its
 * own: what is open then was open before.
 */
public final class OpenTransactions implements TransactionState {

    private final ObjectProvider<PlatformTransactionManager> managers;
    private final TransactionState connections;

    /**
     * @param connections asks the database, where there is one
     */
    public OpenTransactions(ObjectProvider<PlatformTransactionManager> managers, TransactionState connections) {
        this.managers = managers;
        this.connections = connections;
    }

    @Override
    public @Nullable String whyLost(@Nullable Throwable failure) {
        boolean isOpen = TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
        if (!isOpen) {
            return null;
        }
        if (RollbackMarks.isRollbackOnly() || managers.stream().anyMatch(OpenTransactions::isMarked)) {
            return "it is marked rollback-only";
        }
        return connections.whyLost(failure);
    }

    /**
     * Whether a manager's transaction is marked, by whatever took part in it. To take part in it oneself is the one way to
     * ask that all managers have in common, and leaves no trace.
     */
    private static boolean isMarked(PlatformTransactionManager manager) {
        DefaultTransactionDefinition takingPart =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_MANDATORY);
        takingPart.setReadOnly(TransactionSynchronizationManager.isCurrentTransactionReadOnly());
        try {
            return manager.getTransaction(takingPart).isRollbackOnly();
        } catch (RuntimeException ofAnother) { // the open transaction is not this manager's
            return false;
        }
    }
}
