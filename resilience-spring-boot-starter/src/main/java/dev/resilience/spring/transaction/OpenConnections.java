package dev.resilience.spring.transaction;

import dev.resilience.retry.TransactionState;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHandle;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.ConnectionProxy;
import org.springframework.jdbc.datasource.SimpleConnectionHandle;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Asks the database what has become of the open transaction after a statement has failed. PostgreSQL aborts it, and refuses
 * everything until a rollback, be it to a savepoint; a connection that broke takes it along in every database.
 */
public final class OpenConnections implements TransactionState {

    private static final String ABORTED = "25P02";
    private static final String CONNECTION_FAILED = "08";
    private static final int SECONDS_TO_ANSWER = 5;

    @Override
    public @Nullable String whyLost(@Nullable Throwable failure) {
        SQLException fromSql = sqlException(failure);
        if (fromSql == null) {
            return null;
        }
        for (Object bound : TransactionSynchronizationManager.getResourceMap().values()) {
            if (bound instanceof ConnectionHolder holder && hasConnection(holder, fromSql)) {
                String why = whyLost(holder);
                if (why != null) {
                    return why;
                }
            }
        }
        return null;
    }

    private static @Nullable SQLException sqlException(@Nullable Throwable failure) {
        int depth = 0; // causes can go round in circles
        for (Throwable cause = failure; cause != null && depth < 100; cause = cause.getCause()) {
            if (cause instanceof SQLException found) {
                return found;
            }
            depth++;
        }
        return null;
    }

    /**
     * Whether the transaction has its connection, or the question would take one out of the pool and might wait for it.
     * Hibernate and Spring's lazy proxies take it for the first statement and do not tell whether they have; they have if a
     * server has answered.
     */
    private static boolean hasConnection(ConnectionHolder holder, SQLException failure) {
        ConnectionHandle handle = holder.getConnectionHandle();
        boolean hasForSure =
                handle instanceof SimpleConnectionHandle simple && !(simple.getConnection() instanceof ConnectionProxy);
        return hasForSure || (handle != null && comesFromServer(failure));
    }

    private static boolean comesFromServer(SQLException failure) {
        String state = failure.getSQLState();
        return state != null
                && !state.startsWith(CONNECTION_FAILED)
                && !(failure instanceof SQLTransientConnectionException);
    }

    private static @Nullable String whyLost(ConnectionHolder holder) {
        holder.requested();
        try {
            Connection connection = holder.getConnection();
            if (connection.isClosed()) {
                return "its connection is closed";
            }
            boolean asks = !connection.getAutoCommit()
                    && "PostgreSQL".equals(connection.getMetaData().getDatabaseProductName());
            if (asks) {
                ask(connection);
            }
            return null;
        } catch (SQLException refused) {
            return ABORTED.equals(refused.getSQLState())
                    ? "PostgreSQL has aborted it because a statement in it failed"
                    : "its connection does not answer";
        } finally {
            holder.released(); // which keeps it for the transaction
        }
    }

    private static void ask(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(SECONDS_TO_ANSWER);
            statement.execute("SELECT 1");
        }
    }
}
