package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.spring.ResilienceConfigurationException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * Refuses a data source that hands out the connection of the thread's transaction, and is wrapped so that nothing else
 * tells: what the store commits on such a connection would be the caller's transaction.
 */
final class TransactionalSourceCheck {

    private TransactionalSourceCheck() {}

    /**
     * Asks for a connection as in a transaction, and looks whether it gets bound to the thread.
     *
     * @param contents what is kept there, for the message
     * @throws ResilienceConfigurationException if it does
     */
    static void check(DataSource own, String contents) throws SQLException {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            return; // there is a transaction already, and what is bound to the thread may be its own
        }
        TransactionSynchronizationManager.initSynchronization();
        try {
            if (bindsConnections(own)) {
                throw new ResilienceConfigurationException(
                        "The data source of the " + contents + ", a "
                                + own.getClass().getName()
                                + ", hands out the connection of the thread's transaction. The store needs connections of "
                                + "its own: what is committed there would be the transaction of the caller",
                        "Define the store, a JdbcIdempotencyStore or JdbcDeadLetterStore, as a bean that is made with the data "
                                + "source inside, the one that the transaction manager has; or wrap that in a "
                                + "DelegatingDataSource of Spring's, which can be looked into.");
            }
        } finally {
            List<TransactionSynchronization> all = TransactionSynchronizationManager.getSynchronizations();
            TransactionSynchronizationUtils.triggerBeforeCompletion();
            TransactionSynchronizationManager.clearSynchronization();
            TransactionSynchronizationUtils.invokeAfterCompletion(all, TransactionSynchronization.STATUS_UNKNOWN);
        }
    }

    private static boolean bindsConnections(DataSource own) throws SQLException {
        Map<Object, Object> before = new HashMap<>(TransactionSynchronizationManager.getResourceMap());
        try (Connection connection = own.getConnection()) {
            connection.getMetaData().getDatabaseProductName(); // lazy proxies get it only now
            return TransactionSynchronizationManager.getResourceMap().entrySet().stream()
                    .anyMatch(bound -> bound.getValue() instanceof ConnectionHolder
                            && before.get(bound.getKey()) != bound.getValue());
        }
    }
}
