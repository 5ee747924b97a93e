package dev.resilience.spring.retry;

import dev.resilience.retry.TransactionState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Asks Spring whether the transaction of the current thread can only be rolled back. When an attempt has ended, so have the
 * transactions that were its own: what is open then was open before.
 */
public final class OpenTransactions implements TransactionState {

    @Override
    public @Nullable String whyLost(@Nullable Throwable failure) {
        return isRollbackOnly() ? "it is marked rollback-only" : null;
    }

    @Override
    public boolean isOpen() {
        return TransactionSynchronizationManager.isActualTransactionActive();
    }

    /**
     * Whether a participant that has ended, or the innermost {@code @Transactional} method, has marked the transaction. A
     * mark of a template, or of an outer method, is seen when that one ends.
     */
    public static boolean isRollbackOnly() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return false;
        }
        for (Object bound : TransactionSynchronizationManager.getResourceMap().values()) {
            if (bound instanceof ResourceHolderSupport holder && holder.isRollbackOnly()) {
                return true;
            }
        }
        try {
            TransactionStatus method = TransactionAspectSupport.currentTransactionStatus();
            return method.isRollbackOnly() && isCurrent(method);
        } catch (NoTransactionException none) {
            return false;
        }
    }

    /** Whether the method's transaction is not one that a template has suspended since. */
    private static boolean isCurrent(TransactionStatus method) {
        return !method.isNewTransaction()
                || Objects.equals(
                        method.getTransactionName(), TransactionSynchronizationManager.getCurrentTransactionName());
    }

    /** Runs an action if the transaction of this thread, if there is one, is rolled back: at once where that is decided. */
    public static void onRollback(Runnable action) {
        boolean isHeard = TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
        if (isHeard && isRollbackOnly()) {
            action.run(); // now: the call may end before its transaction does
        } else if (isHeard) {
            TransactionSynchronizationManager.registerSynchronization(new RollbackListener(action));
        }
    }

    private record RollbackListener(Runnable action) implements TransactionSynchronization {

        @Override
        public void afterCompletion(int status) {
            if (status == STATUS_ROLLED_BACK) {
                action.run();
            }
        }
    }
}
