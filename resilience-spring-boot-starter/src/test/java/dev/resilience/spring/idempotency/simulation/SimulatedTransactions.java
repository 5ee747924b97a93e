package dev.resilience.spring.idempotency.simulation;

import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.spring.idempotency.simulation.ManagedTransaction.Listener;
import dev.resilience.spring.idempotency.simulation.ManagedTransaction.Status;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A transaction manager with the manners of Spring's: whose exceptions roll back and whose commit, what listeners are told
 * and when, that a transaction has its connection until they have been told, and how a COMMIT that fails shows.
 */
final class SimulatedTransactions {

    private final Baton baton;
    private final SimulatedPool pool;
    private final Kind kind;

    SimulatedTransactions(Baton baton, SimulatedPool pool, Kind kind) {
        this.baton = baton;
        this.pool = pool;
        this.kind = kind;
    }

    /** Differ in what they make of a COMMIT that fails. */
    enum Kind {
        /** DataSourceTransactionManager: nothing is known. */
        PLAIN,
        /** JdbcTransactionManager: is rolled back, which on a dead connection fails too. */
        TRANSLATING,
        /** JpaTransactionManager: is rolled back, it says. */
        JPA
    }

    /** The owner of a transaction that was doomed by one who took part in it. */
    static final class UnexpectedRollback extends RuntimeException {

        private static final long serialVersionUID = 1;

        UnexpectedRollback() {
            super("marked as rollback-only", null, false, false);
        }
    }

    @Nullable
    ManagedTransaction current() {
        return ManagedTransaction.of(baton.current());
    }

    /** Reads a record of the application, which is where a snapshot is taken. */
    void look(String key) {
        ManagedTransaction transaction = current();
        if (transaction != null) {
            RecordKey any = RecordKey.of("table of the application", "", key);
            transaction.connection().execute("look", () -> {
                Object unused = transaction.connection().session().look(any);
                return true;
            });
        }
    }

    /** Joins the task's transaction if there is one. */
    <T> T required(Isolation isolation, Callable<T> work) throws Exception {
        ManagedTransaction outer = current();
        return outer == null ? inNew(isolation, work) : joining(outer, work);
    }

    private static <T> T joining(ManagedTransaction outer, Callable<T> work) throws Exception {
        try {
            return work.call();
        } catch (Exception failure) {
            if (Failures.rollsBack(failure)) {
                outer.doom();
            }
            throw failure;
        }
    }

    /** Within the task's transaction, of which only what is done here is rolled back if it fails. */
    <T> T nested(Callable<T> work) throws Exception {
        ManagedTransaction outer = current();
        if (outer == null) {
            throw new IllegalStateException("There is no transaction");
        }
        Session.Savepoint savepoint =
                outer.connection().execute("SAVEPOINT", outer.connection().session()::savepoint);
        try {
            T result = work.call();
            if (outer.failsAtCommit()) {
                throw new Failures.Passing();
            }
            return result;
        } catch (Exception failure) {
            outer.failAtCommit(false);
            if (Failures.rollsBack(failure)) {
                baton.trace().task("rolls back to the savepoint");
                outer.listeners().forEach(Listener::savepointRollback);
                outer.connection().execute("ROLLBACK TO SAVEPOINT", () -> {
                    outer.connection().session().rollbackTo(savepoint);
                    return true;
                });
            }
            throw failure;
        }
    }

    private <T> T inNew(Isolation isolation, Callable<T> work) throws Exception {
        ManagedTransaction transaction = new ManagedTransaction(pool.take(), isolation, kind);
        transaction.connection().begin(isolation);
        baton.current().bind(transaction);
        try {
            T result = call(transaction, work);
            commit(transaction);
            return result;
        } finally {
            baton.current().bind(null);
            pool.giveBack(transaction.connection());
        }
    }

    private <T> T call(ManagedTransaction transaction, Callable<T> work) throws Exception {
        try {
            return work.call();
        } catch (Exception failure) {
            if (Failures.rollsBack(failure)) {
                rollback(transaction);
            } else {
                commit(transaction);
            }
            throw failure;
        }
    }

    private void commit(ManagedTransaction transaction) {
        if (transaction.isRollbackOnly() || transaction.isDoomed()) {
            rollback(transaction);
            if (!transaction.isRollbackOnly()) {
                throw new UnexpectedRollback();
            }
            return;
        }
        try {
            transaction.listeners().forEach(Listener::beforeCommit);
        } catch (RuntimeException refused) {
            rollback(transaction);
            throw refused;
        }
        if (transaction.failsAtCommit()) {
            transaction.connection().session().rollback();
            commitFailed(transaction);
            throw new Failures.Passing();
        }
        try {
            transaction.connection().commit();
        } catch (SqlFailure failure) {
            commitFailed(transaction);
            throw failure;
        }
        baton.trace().task("has committed");
        ended(transaction, Status.COMMITTED);
    }

    private void commitFailed(ManagedTransaction transaction) {
        switch (kind) {
            case PLAIN -> ended(transaction, Status.UNKNOWN);
            case TRANSLATING -> rollback(transaction);
            case JPA -> ended(transaction, Status.ROLLED_BACK);
        }
    }

    private void rollback(ManagedTransaction transaction) {
        try {
            transaction.connection().rollback();
        } catch (SqlFailure failure) {
            ended(transaction, Status.UNKNOWN);
            throw failure;
        }
        ended(transaction, Status.ROLLED_BACK);
    }

    /** What a listener throws keeps no other from being told. */
    private void ended(ManagedTransaction transaction, Status status) {
        baton.trace().task("tells how its transaction ended: " + status);
        transaction.completes();
        for (Listener listener : transaction.listeners()) {
            try {
                listener.afterCompletion(status);
            } catch (RuntimeException broken) {
                baton.trace().task("a listener throws " + broken);
            }
        }
    }
}
