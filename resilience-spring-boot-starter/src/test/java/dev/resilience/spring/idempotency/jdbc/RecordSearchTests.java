package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.RecordSummary.State;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;

@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class RecordSearchTests {

    private static final String TABLE = JdbcIdempotencyStore.DEFAULT_TABLE;

    private final Databases database;

    RecordSearchTests(Databases database) {
        this.database = database;
    }

    @Test
    void aRecordThatWasCompletedSinceItWasFoundIsLeftAlone() throws SQLException {
        try (HikariDataSource pool = database.pool();
                Connection connection = pool.getConnection()) {
            JdbcTemplate jdbc = new JdbcTemplate(pool);
            jdbc.execute("DROP TABLE IF EXISTS " + TABLE);
            JdbcIdempotencyStore store = new JdbcIdempotencyStore(pool, TABLE, true);
            store.prepare();
            store.claim(new ClaimRequest(
                    RecordKey.of("pay", "", "k"), "owner", "", Duration.ofHours(1), Duration.ofDays(1), true));
            jdbc.update("UPDATE " + TABLE + " SET valid_until = 1");
            RecordSearch search = new RecordSearch(Dialect.of(connection), TABLE);
            RecordSearch.Found found = search.find(connection, new RecordSelection("k", Set.of("pay"), null))
                    .get(0);
            assertThat(found.summary().state()).isEqualTo(State.ABANDONED);

            jdbc.update("UPDATE " + TABLE + " SET state = 'C'");

            for (RowChange change : List.of(search.delete, search.resolve, search.free)) {
                assertThat(change.skipLocked(connection, found.identity())).isFalse();
            }
            assertThat(jdbc.queryForList("SELECT state FROM " + TABLE, String.class))
                    .containsExactly("C");
        }
    }
}
