package dev.resilience.spring.chaos;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.idempotency.tck.ForwardingStore;
import dev.resilience.spring.idempotency.jdbc.JdbcIdempotencyStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Applications with a problem that is made on purpose. */
final class PlantedDefects {

    private static final String TABLE = "${resilience.idempotency-store.jdbc.table-name}";

    private PlantedDefects() {}

    /** Renewals do nothing, and a result is written without a look at owner and fence. */
    @Configuration(proxyBeanMethods = false)
    static class ForgetsTheFence {

        @Bean
        IdempotencyStore store(DataSource dataSource, @Value(TABLE) String table) {
            return new InTransactions(dataSource, table, transaction -> new Forwarding(transaction) {
                @Override
                public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
                    boolean unused = super.complete(token, result, ttl);
                    return true;
                }

                @Override
                public ClaimStatus statusOf(LeaseToken token) {
                    return ClaimStatus.IN_PROGRESS;
                }
            }) {
                @Override
                public boolean renew(LeaseToken token, Duration lease) {
                    return true;
                }
            };
        }
    }

    /** Results are written when the transaction is over. */
    @Configuration(proxyBeanMethods = false)
    static class WritesOutsideOfTheTransaction {

        @Bean
        IdempotencyStore store(DataSource dataSource, @Value(TABLE) String table) {
            return new InTransactions(dataSource, table, transaction -> null);
        }
    }

    /** Results are replayed from a cache that is filled before the commit. */
    @Configuration(proxyBeanMethods = false)
    static class ReplaysWhatWasNeverCommitted {

        @Bean
        IdempotencyStore store(DataSource dataSource, @Value(TABLE) String table) {
            Map<RecordKey, StoredResult> cache = new ConcurrentHashMap<>();
            return new InTransactions(dataSource, table, transaction -> new Forwarding(transaction) {
                @Override
                public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
                    cache.put(token.key(), result);
                    return super.complete(token, result, ttl);
                }
            }) {
                @Override
                public Claim claim(ClaimRequest request) {
                    StoredResult cached = cache.get(request.key());
                    return cached == null ? super.claim(request) : new Claim.Completed(cached);
                }
            };
        }
    }

    /** What is to be rolled back is committed. */
    @Configuration(proxyBeanMethods = false)
    static class LosesTheRollback {

        @Bean
        @Primary
        DataSourceTransactionManager committing(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource) {
                @Override
                protected void doRollback(DefaultTransactionStatus status) {
                    doCommit(status);
                }
            };
        }
    }

    /** Every release takes a connection and does not give it back. */
    @Configuration(proxyBeanMethods = false)
    static class KeepsConnections {

        @Bean
        IdempotencyStore store(DataSource dataSource, @Value(TABLE) String table) {
            return new InTransactions(dataSource, table, transaction -> transaction) {
                @Override
                public boolean release(LeaseToken token) {
                    try {
                        dataSource.getConnection();
                    } catch (SQLException none) {
                        throw new IllegalStateException(none);
                    }
                    return super.release(token);
                }
            };
        }
    }

    private static class InTransactions extends ForwardingStore {

        private final UnaryOperator<@Nullable StoreTransaction> defect;

        InTransactions(DataSource dataSource, String table, UnaryOperator<@Nullable StoreTransaction> defect) {
            super(new JdbcIdempotencyStore(dataSource, table, true));
            this.defect = defect;
        }

        @Override
        public @Nullable StoreTransaction currentTransaction() {
            StoreTransaction current = super.currentTransaction();
            return current == null ? null : defect.apply(current);
        }
    }

    private static class Forwarding implements StoreTransaction {

        private final StoreTransaction target;

        Forwarding(StoreTransaction target) {
            this.target = target;
        }

        @Override
        public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
            return target.complete(token, result, ttl);
        }

        @Override
        public boolean renew(LeaseToken token, Duration lease) {
            return target.renew(token, lease);
        }

        @Override
        public boolean release(LeaseToken token) {
            return target.release(token);
        }

        @Override
        public ClaimStatus statusOf(LeaseToken token) {
            return target.statusOf(token);
        }

        @Override
        public void beforeCommit(Runnable action, Consumer<End> end) {
            target.beforeCommit(action, end);
        }

        @Override
        public boolean isSnapshot() {
            return target.isSnapshot();
        }

        @Override
        public void rollbackOnly(RuntimeException why) {
            target.rollbackOnly(why);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Forwarding that && target.equals(that.target);
        }

        @Override
        public int hashCode() {
            return target.hashCode();
        }
    }
}
