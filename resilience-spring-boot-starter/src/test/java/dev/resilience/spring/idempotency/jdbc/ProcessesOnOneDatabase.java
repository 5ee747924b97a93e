package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.StringUtils;

/** A database for several {@link NodeProcess}es, and the effects of their calls. */
abstract class ProcessesOnOneDatabase {

    /** A process that sleeps or dies soon loses its leases. Where a call stops is no other argument. */
    static final String[] SHORT_LEASES = {
        "--resilience.idempotency.orders.lease=250ms",
        "--resilience.idempotency.orders.max-lease=250ms",
        "--resilience.idempotency.orders.fingerprint=false"
    };

    private final ServerDatabases database;
    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;

    ProcessesOnOneDatabase(ServerDatabases database) {
        this.database = database;
        this.pool = database.pool();
        this.jdbc = new JdbcTemplate(pool);
    }

    @BeforeEach
    void clear() {
        jdbc.execute("DROP TABLE IF EXISTS effects");
        try {
            jdbc.update("DELETE FROM " + JdbcIdempotencyStore.DEFAULT_TABLE); // which nodes that run have prepared
        } catch (BadSqlGrammarException missing) {
            // no node has run
        }
        jdbc.execute("CREATE TABLE effects (name VARCHAR(100))");
    }

    @AfterEach
    void close() {
        pool.close();
    }

    NodeProcess start(String[] properties, String... more) throws IOException {
        return new NodeProcess(database.url(), database.user(), StringUtils.concatenateStringArrays(properties, more));
    }

    int effects() {
        return count("*");
    }

    int keysWithAnEffect() {
        return count("DISTINCT name");
    }

    private int count(String what) {
        Integer count = jdbc.queryForObject("SELECT count(" + what + ") FROM effects", Integer.class);
        return count == null ? 0 : count;
    }

    /** Whether there is a record in progress whose lease has run out. */
    boolean isLeaseOver() {
        return !jdbc.queryForList("SELECT id FROM " + JdbcIdempotencyStore.DEFAULT_TABLE
                        + " WHERE state = 'R' AND valid_until <= " + Databases.POSTGRESQL.now())
                .isEmpty();
    }

    /** Repeats a call that is refused because the key is in progress, until it is not. */
    static String firstOtherAnswer(NodeProcess node, String order) throws InterruptedException {
        node.send(order);
        String answer = node.answer();
        while (answer.equals("threw IdempotencyInProgressException")) {
            LockSupport.parkNanos(20_000_000);
            node.send(order);
            answer = node.answer();
        }
        return answer;
    }

    static void assertReturns(NodeProcess node, String order, String expected) throws InterruptedException {
        assertThat(firstOtherAnswer(node, order)).isEqualTo("returned " + expected);
    }
}
