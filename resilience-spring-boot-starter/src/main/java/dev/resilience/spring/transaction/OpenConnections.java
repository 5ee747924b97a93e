package dev.resilience.spring.transaction;

import dev.resilience.retry.TransactionState;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Asks the database what has become of the open transaction after a statement has failed. PostgreSQL aborts it, and refuses
 * everything until a rollback, be it to a savepoint; a connection that broke takes it along in every database.
 */
public final class OpenConnections implements TransactionState {

    private static final String ABORTED = "25P02";
    private static final int SECONDS_TO_ANSWER = 5;

    @Override
    public @Nullable String whyLost(@Nullable Throwable failure) {
        if (!comesFromSql(failure)) {
            return null;
        }
        for (Map.Entry<Object, Object> bound :
                TransactionSynchronizationManager.getResourceMap().entrySet()) {
            if (bound.getKey() instanceof DataSource dataSource && bound.getValue() instanceof ConnectionHolder) {
                String why = whyLost(dataSource);
                if (why != null) {
                    return why;
                }
            }
        }
        return null;
    }

    private static boolean comesFromSql(@Nullable Throwable failure) {
        int depth = 0; // causes can go round in circles
        for (Throwable cause = failure; cause != null && depth < 100; cause = cause.getCause()) {
            if (cause instanceof SQLException) {
                return true;
            }
            depth++;
        }
        return false;
    }

    private static @Nullable String whyLost(DataSource dataSource) {
        Connection connection = DataSourceUtils.getConnection(dataSource); // the one that is bound to the thread
        try {
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
            DataSourceUtils.releaseConnection(connection, dataSource); // which keeps it for the transaction
        }
    }

    private static void ask(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(SECONDS_TO_ANSWER);
            statement.execute("SELECT 1");
        }
    }
}
