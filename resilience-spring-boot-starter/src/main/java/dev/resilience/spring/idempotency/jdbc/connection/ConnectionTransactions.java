package dev.resilience.spring.idempotency.jdbc.connection;

import java.sql.Connection;
import java.sql.SQLException;

/** Transactions of the store's own, on connections that are otherwise in auto-commit mode. */
public final class ConnectionTransactions {

    private ConnectionTransactions() {}

    /** What is done on one connection. */
    @FunctionalInterface
    public interface Work<T> {

        T with(Connection connection) throws SQLException;
    }

    /** All of it, or nothing if it fails. */
    public static <T> T inTransaction(Connection connection, Work<T> work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            T result = work.with(connection);
            connection.commit();
            return result;
        } catch (SQLException | RuntimeException | Error failure) {
            connection.rollback();
            throw failure;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    /** Every statement in its own transaction. */
    public static <T> T byItself(Connection connection, Work<T> work) throws SQLException {
        if (connection.getAutoCommit()) {
            return work.with(connection);
        }
        connection.setAutoCommit(true);
        try {
            return work.with(connection);
        } finally {
            connection.setAutoCommit(false);
        }
    }
}
