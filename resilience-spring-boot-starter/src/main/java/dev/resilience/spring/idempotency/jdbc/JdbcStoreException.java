package dev.resilience.spring.idempotency.jdbc;

import java.sql.SQLException;

/** The database did not answer, or not as it should. */
final class JdbcStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final String SECOND_CONNECTION = ". The transaction of this thread has a connection, and the record "
            + "needs a second one, so that others see at once that its key is taken. If the database is up, its "
            + "connection pool is too small: allow more connections than there are threads with a transaction "
            + "('spring.datasource.hikari.maximum-pool-size'), or make the call outside of the transaction";

    JdbcStoreException(SQLException cause, String table) {
        this(cause, table, "");
    }

    private JdbcStoreException(SQLException cause, String table, String cure) {
        super(
                "The idempotency records in the table '" + table + "' could not be had: " + cause.getMessage() + cure,
                cause);
    }

    /** No connection to be had, on a thread that holds one for a transaction. */
    static JdbcStoreException noSecondConnection(SQLException cause, String table) {
        return new JdbcStoreException(cause, table, SECOND_CONNECTION);
    }
}
