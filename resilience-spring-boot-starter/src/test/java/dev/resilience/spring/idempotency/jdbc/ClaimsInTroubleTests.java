package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.RecordKey;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Claims whose database's clock was set back, or that meet another claim in a strict isolation. */
class ClaimsInTroubleTests {

    private static final String TABLE = JdbcIdempotencyStore.DEFAULT_TABLE;

    private static ClaimRequest request(String owner) {
        Duration hour = Duration.ofHours(1);
        return new ClaimRequest(RecordKey.of("pay", "", "k"), owner, "", hour, hour, true);
    }

    private static JdbcIdempotencyStore emptyStore(HikariDataSource pool) {
        JdbcIdempotencyStore store = new JdbcIdempotencyStore(pool, TABLE, true);
        store.prepare();
        new JdbcTemplate(pool).update("DELETE FROM " + TABLE);
        return store;
    }

    /** A fence is the time of its claim, as long as that makes it larger than the one before. */
    @ParameterizedTest
    @CsvSource({"H2, R", "H2, C", "POSTGRESQL, R", "POSTGRESQL, C"})
    void fencesGrowThoughTheClockWasSetBack(Databases database, String state) {
        long ahead = Long.MAX_VALUE / 2;
        try (HikariDataSource pool = database.pool()) {
            JdbcIdempotencyStore store = emptyStore(pool);
            store.claim(request("first"));
            new JdbcTemplate(pool)
                    .update("UPDATE " + TABLE + " SET fence = ?, state = ?, valid_until = 0", ahead, state);

            assertThat(store.claim(request("second")))
                    .isInstanceOfSatisfying(
                            Claim.Acquired.class,
                            acquired -> assertThat(acquired.token().fence()).isEqualTo(ahead + 1));
        }
    }

    /** PostgreSQL: the other record was not there when the statement began, and cannot be passed over either. */
    @Test
    void aClaimThatCannotBeSerialisedIsMadeAgain() throws Exception {
        try (HikariDataSource pool = Databases.POSTGRESQL.pool();
                HikariDataSource strict = Databases.POSTGRESQL.pool()) {
            strict.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
            emptyStore(pool);
            CompletableFuture<Claim> second;
            try (Connection connection = pool.getConnection()) {
                connection.setAutoCommit(false);
                new RecordTable(Dialect.POSTGRESQL, TABLE).claim(connection, request("first"));
                second = CompletableFuture.supplyAsync(() -> new JdbcIdempotencyStore(strict).claim(request("second")));
                awaitALock(pool);
                connection.commit();
            }

            assertThat(second.get(30, TimeUnit.SECONDS)).isInstanceOf(Claim.InProgress.class);
        }
    }

    private static void awaitALock(HikariDataSource pool) {
        JdbcTemplate outside = new JdbcTemplate(pool);
        Awaitility.await()
                .until(() -> !outside.queryForList("SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
                        .isEmpty());
    }
}
