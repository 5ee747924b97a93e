package dev.resilience.spring.benchmark;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.context.annotation.Bean;

/**
 * Records in PostgreSQL, which writes nothing to its disk here: what remains is round trips and work. By hand, an INSERT
 * and an UPDATE, each on a connection of the same pool, in a table with a primary key and an index for its cleaning.
 */
public class IdempotentInPostgres extends IdempotentCalls {

    private static final String ROWS = " FROM generate_series(1, %d) AS n";
    private static final String BY_HAND = """
            INSERT INTO by_hand SELECT 'stored ' || n, 'C', 'owner', now() + interval '1 day', 'result'::bytea
            """ + ROWS;
    private static final String OURS = """
            INSERT INTO resilience_idempotency
                (id, caller_hash, operation, fingerprint, state, owner, fence, take_over, valid_until, cleanup_after,
                kind, result)
            SELECT substring(sha256(n::text::bytea), 1, 16) || sha256(n::text::bytea), 'caller', 'an.Operation.of(int)',
                md5(n::text), 'C', 'owner', n, true, tomorrow + n, tomorrow + n, 'V', 'result'::bytea
            FROM (SELECT (extract(epoch from now()) * 1000000)::bigint + 86400000000 AS tomorrow) AS clock,
            """ + ROWS.substring(" FROM".length());

    private HikariDataSource pool;
    private byte[] result;

    @Setup
    public void start() throws SQLException {
        start(
                Database.class,
                "resilience.idempotency-store.type=jdbc",
                "resilience.idempotency-store.jdbc.initialize-schema=always");
        pool = bean(HikariDataSource.class);
        result = "{\"order\":\"an order\",\"amount\":4200,\"state\":\"paid\"}".getBytes(StandardCharsets.UTF_8);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE by_hand (id VARCHAR(255) PRIMARY KEY, state VARCHAR(1) NOT NULL,"
                    + " owner VARCHAR(64) NOT NULL, expires TIMESTAMPTZ NOT NULL, result BYTEA)");
            statement.execute("CREATE INDEX by_hand_expires ON by_hand (expires)");
            statement.execute(BY_HAND.formatted(stored));
            statement.execute(OURS.formatted(stored));
            statement.execute("VACUUM ANALYZE");
        }
        claimByHand("replayed");
        completeByHand("replayed");
    }

    @Override
    @TearDown
    public void stop() {
        super.stop();
    }

    @Benchmark
    public Object first() {
        return executeFirst();
    }

    @Benchmark
    public Object firstByHand() throws SQLException {
        String key = newKey();
        claimByHand(key);
        completeByHand(key);
        return key;
    }

    @Benchmark
    public Object replay() {
        return executeAgain();
    }

    @Benchmark
    public Object replayByHand() throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement select =
                        connection.prepareStatement("SELECT result FROM by_hand WHERE id = ? AND expires > now()")) {
            select.setString(1, "replayed");
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getBytes(1);
            }
        }
    }

    private void claimByHand(String key) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO by_hand (id, state, owner, expires)"
                        + " VALUES (?, 'R', ?, now() + interval '30 seconds') ON CONFLICT DO NOTHING")) {
            insert.setString(1, key);
            insert.setString(2, "owner");
            insert.executeUpdate();
        }
    }

    private void completeByHand(String key) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement update = connection.prepareStatement("UPDATE by_hand SET state = 'C', result = ?,"
                        + " expires = now() + interval '1 day' WHERE id = ? AND owner = ? AND state = 'R'")) {
            update.setBytes(1, result);
            update.setString(2, key);
            update.setString(3, "owner");
            update.executeUpdate();
        }
    }

    static class Database {

        @Bean
        EmbeddedPostgres server() throws IOException {
            return EmbeddedPostgres.builder().start();
        }

        @Bean
        HikariDataSource dataSource(EmbeddedPostgres server) {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(server.getJdbcUrl("postgres", "postgres"));
            pool.setUsername("postgres");
            return pool;
        }
    }
}
