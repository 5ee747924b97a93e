package dev.resilience.spring.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** Transactions of the store's own, on connections that commit by themselves otherwise. */
final class Transactions {

    private Transactions() {}

    /** What is done on one connection. */
    @FunctionalInterface
    interface Work<T> {

        T with(Connection connection) throws SQLException;
    }

    /** All of it, or nothing if it fails. */
    static <T> T inTransaction(Connection connection, Work<T> work) throws SQLException {
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

    /** Every statement by itself. */
    static <T> T byItself(Connection connection, Work<T> work) throws SQLException {
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
