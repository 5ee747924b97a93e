package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.TcpProxy;
import dev.resilience.spring.idempotency.CountedOutcomes;
import dev.resilience.spring.idempotency.jdbc.TransactionalTests.Orders;
import dev.resilience.spring.idempotency.jdbc.connection.SpareConnection;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The connection apart that hangs or is not to be had, and pools beside which there is none. */
@Timeout(60)
class SpareConnectionTests {

    private static final Duration HOUR = Duration.ofHours(1);

    /** It would wait for an answer that never comes, and all renewals would wait for it. */
    @Test
    void aRenewalOnAConnectionThatHangsFailsSoon() throws Exception {
        try (HikariDataSource pool = Databases.POSTGRESQL.pool();
                TcpProxy proxy = new TcpProxy(URI.create(pool.getJdbcUrl().substring("jdbc:".length()))
                        .getPort())) {
            pool.setJdbcUrl(pool.getJdbcUrl().replaceFirst(":\\d+/", ":" + proxy.port() + "/"));
            pool.setMaximumPoolSize(1);
            try (JdbcIdempotencyStore store =
                    new JdbcIdempotencyStore(pool, JdbcIdempotencyStore.DEFAULT_TABLE, true)) {
                store.prepare();
                new JdbcTemplate(pool).update("DELETE FROM " + JdbcIdempotencyStore.DEFAULT_TABLE);
                ClaimRequest request = new ClaimRequest(RecordKey.of("pay", "", "k"), "me", "", HOUR, HOUR, true);
                LeaseToken mine = ((Claim.Acquired) store.claim(request)).token();
                try (Connection taken = pool.getConnection()) {
                    assertThat(taken.isClosed()).isFalse();
                    assertThat(store.renew(mine, HOUR)).isTrue();

                    proxy.holdRequests();
                    assertThatThrownBy(() -> store.renew(mine, HOUR)).isInstanceOf(JdbcStoreException.class);

                    proxy.passRequests();
                    Awaitility.await().ignoreExceptions().until(() -> store.renew(mine, HOUR));
                }
            }
        }
    }

    @Test
    void afterAMissItIsLeftAloneForSomeTime() throws Exception {
        try (HikariDataSource pool = Databases.H2.pool()) {
            pool.setConnectionTimeout(250);
            try (SpareConnection spare = Objects.requireNonNull(SpareConnection.beside(pool))) {
                pool.setCredentials(Credentials.of("nobody", "wrong"));
                assertThat(spare.get()).isNull();

                pool.setCredentials(Credentials.of("sa", ""));
                for (int i = 0; i < 10; i++) {
                    assertThat(spare.get()).isNull();
                }
                Awaitility.await().until(() -> {
                    try (Connection connection = spare.get()) {
                        return connection != null;
                    }
                });
            }
        }
    }

    @Test
    void aThreadThatHasAConnectionGetsASecondOneOfThePoolOrTheOneApart() throws Exception {
        try (HikariDataSource pool = Databases.H2.pool()) {
            pool.setMaximumPoolSize(2);
            try (SpareConnection spare = Objects.requireNonNull(SpareConnection.beside(pool));
                    Connection first = pool.getConnection();
                    Connection second = spare.ofPoolOrGet();
                    Connection third = spare.ofPoolOrGet()) {
                assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(2);
                assertThat(first).isNotNull();
                assertThat(second).isNotNull();
                assertThat(third).isNotNull();
            }
        }
    }

    private static Connection connection(DataSource of) {
        try {
            return of.getConnection();
        } catch (SQLException broken) {
            throw new IllegalStateException(broken);
        }
    }

    /** The thread still has a connection when its transaction has ended, and others, which may wait for it, have the rest. */
    @Test
    void aKeyIsFreedOnAnotherThreadWhereAPoolCannotHaveAConnectionBesideIt() {
        try (HikariDataSource pool = Databases.H2.pool();
                HikariDataSource other = Databases.H2.pool()) {
            pool.setMaximumPoolSize(2);
            pool.setConnectionTimeout(30_000);
            JdbcTemplate outside = new JdbcTemplate(other);
            outside.execute("DROP TABLE IF EXISTS effects");
            outside.execute("DROP TABLE IF EXISTS " + JdbcIdempotencyStore.DEFAULT_TABLE);
            outside.execute("CREATE TABLE effects (name VARCHAR(100) PRIMARY KEY)");
            ApplicationContextRunner runner = TestShop.runner(new DelegatingDataSource(pool) {})
                    .withBean(Orders.class)
                    .withPropertyValues("resilience.retry.polling.max-attempts=2");
            runner.run(context -> {
                Orders orders = context.getBean(Orders.class);
                Idempotency idempotency = Objects.requireNonNull(context.getBean(ResilienceRegistry.class)
                        .idempotencies()
                        .get("default"));
                AtomicReference<Connection> another = new AtomicReference<>();

                new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                        .executeWithoutResult(status -> {
                            orders.place("k");
                            another.set(connection(pool));
                            status.setRollbackOnly();
                        });

                Awaitility.await()
                        .untilAsserted(() -> CountedOutcomes.assertCounted(idempotency, IdempotencyOutcome.RELEASED));
                another.get().close();
            });
        }
    }
}
