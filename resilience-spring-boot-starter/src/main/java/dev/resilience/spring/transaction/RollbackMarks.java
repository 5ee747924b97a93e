package dev.resilience.spring.transaction;

import dev.resilience.pipeline.Invocation;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Tells whether the transaction of the current thread is marked rollback-only. Spring keeps a mark at the status of the
 * method or template that has made it, and makes it known to the others only when that one ends. The statuses that count
 * are those of
 *
 * <ul>
 *   <li>what began the transaction: as a listener of every transaction manager this class notes it among the
 *       transaction's synchronizations, which are suspended and resumed with it;
 *   <li>the innermost {@code @Transactional} method;
 *   <li>the caller of the innermost idempotent method.
 * </ul>
 *
 * <p>A mark of another participant between these is not seen before it ends. Of a transaction manager that takes no
 * listeners, nothing tells whether the status of a caller is that of the current transaction or of a suspended one: it does
 * not count then. Safe for use by many threads.
 */
public final class RollbackMarks implements TransactionExecutionListener {

    private static final ThreadLocal<@Nullable TransactionStatus> CALLER = new ThreadLocal<>();

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        if (failure == null
                && transaction.isNewTransaction()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(
                    new Begun(transaction, ofInnermostMethod(), CALLER.get()));
        }
    }

    /** Runs a method, in whose transaction its caller's mark counts if the method takes part in that of its caller. */
    public static @Nullable Object runMethod(Invocation method) throws Throwable {
        TransactionStatus before = CALLER.get();
        TransactionStatus caller = ofInnermostMethod();
        if (caller == before) {
            return method.proceed();
        }
        CALLER.set(caller);
        try {
            return method.proceed();
        } finally {
            CALLER.set(before);
        }
    }

    /** Whether the open transaction of the current thread is marked; called while synchronization is active. */
    public static boolean isRollbackOnly() {
        Begun innermost = null;
        for (TransactionSynchronization of : TransactionSynchronizationManager.getSynchronizations()) {
            if (of instanceof Begun begun && !begun.transaction.isCompleted()) {
                innermost = begun;
            }
        }
        return innermost != null
                && (isMarked(innermost.transaction)
                        || innermost.isMarkedBy(ofInnermostMethod())
                        || innermost.isMarkedBy(CALLER.get()));
    }

    /**
     * Whether the innermost idempotent method has marked its transaction, be it its own or its caller's; called while the
     * method runs, by the advice next to its body.
     */
    public static boolean isMarkedByMethod() {
        TransactionStatus method = ofInnermostMethod();
        return method != CALLER.get() && isMarked(method);
    }

    private static boolean isMarked(@Nullable TransactionExecution transaction) {
        return transaction != null && !transaction.isCompleted() && transaction.isRollbackOnly();
    }

    /** That of the innermost {@code @Transactional} method; a template has none. */
    private static @Nullable TransactionStatus ofInnermostMethod() {
        try {
            return TransactionAspectSupport.currentTransactionStatus();
        } catch (NoTransactionException none) {
            return null;
        }
    }

    /**
     * A transaction that was begun.
     *
     * @param outside the status of the innermost method around it, which belongs to another transaction: one that was
     *     suspended for this one, or one of another transaction manager
     * @param outsideCaller that of the caller of the innermost idempotent method around it, which does so, too
     */
    private record Begun(
            TransactionExecution transaction,
            @Nullable TransactionStatus outside,
            @Nullable TransactionStatus outsideCaller)
            implements TransactionSynchronization {

        boolean isMarkedBy(@Nullable TransactionStatus participant) {
            return participant != outside && participant != outsideCaller && isMarked(participant);
        }
    }
}
