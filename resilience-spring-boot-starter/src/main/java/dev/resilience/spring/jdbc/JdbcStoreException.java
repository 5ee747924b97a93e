package dev.resilience.spring.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import javax.sql.DataSource;

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

    /** What failed on a connection of the store's own, or for want of one. */
    static JdbcStoreException onOwnConnection(SQLException cause, String table, DataSource dataSource) {
        boolean second =
                cause instanceof SQLTransientConnectionException && BoundTransaction.holdsConnection(dataSource);
        return new JdbcStoreException(cause, table, second ? SECOND_CONNECTION : "");
    }
}
