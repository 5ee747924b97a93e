package dev.resilience.spring.idempotency.jdbc;

import java.sql.SQLException;

/** The database did not answer, or not as it should. */
final class JdbcStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final String SECOND_CONNECTION = ". The transaction of this thread has a connection, and the store "
            + "needs a second one, because others must see at once what it writes. If the database is up, its "
            + "connection pool is too small: allow more connections than there are threads with a transaction "
            + "('spring.datasource.hikari.maximum-pool-size'), or make the call outside of the transaction";

    JdbcStoreException(SQLException cause, String contents) {
        this(cause, contents, "");
    }

    private JdbcStoreException(SQLException cause, String contents, String cure) {
        super("The " + contents + " could not be had: " + cause.getMessage() + cure, cause);
    }

    /** No connection to be had, on a thread that holds one for a transaction. */
    static JdbcStoreException noSecondConnection(SQLException cause, String contents) {
        return new JdbcStoreException(cause, contents, SECOND_CONNECTION);
    }
}
