package dev.resilience.spring.jdbc;

import java.sql.SQLException;

/** The database did not answer, or not as it should. */
final class JdbcStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    JdbcStoreException(SQLException cause, String table) {
        super("The idempotency records in the table '" + table + "' could not be had: " + cause.getMessage(), cause);
    }
}
