package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.spring.TcpProxy;
import java.net.URI;
import java.sql.Connection;
import java.time.Duration;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;

/** Connections of the own pool that hang or are not to be had. */
@Timeout(60)
class OwnPoolTests {

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
                    assertThatThrownBy(() -> store.renew(mine, HOUR)).isInstanceOf(JdbcStore.JdbcStoreException.class);

                    proxy.passRequests();
                    Awaitility.await().ignoreExceptions().until(() -> store.renew(mine, HOUR));
                }
            }
        }
    }

    @Test
    @Tag("long")
    void afterAMissItIsLeftAloneForSomeTime() throws Exception {
        try (HikariDataSource pool = Databases.H2.pool()) {
            pool.setConnectionTimeout(250);
            pool.getConnection().close(); // which makes the database
            try (OwnPool own = Objects.requireNonNull(OwnPool.beside(pool))) {
                pool.setCredentials(Credentials.of("nobody", "wrong"));
                assertThat(own.get()).isNull();

                pool.setCredentials(Credentials.of("sa", ""));
                for (int i = 0; i < 10; i++) {
                    assertThat(own.get()).isNull();
                }
                Awaitility.await().until(() -> {
                    try (Connection connection = own.get()) {
                        return connection != null;
                    }
                });
            }
        }
    }
}
