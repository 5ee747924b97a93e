package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.spring.log.CapturedLines;
import dev.resilience.time.ManualTimeSource;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;

@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class CleanupTests {

    private static final String TABLE = JdbcIdempotencyStore.DEFAULT_TABLE;
    private static final long SECOND = 1_000_000;
    private static final long DAY = 24 * 3_600 * SECOND;

    private final ManualTimeSource time = new ManualTimeSource();
    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;
    private final String now;
    private final JdbcIdempotencyStore store;
    private final Cleanup cleanup;

    CleanupTests(Databases database) {
        this.pool = database.pool();
        this.jdbc = new JdbcTemplate(pool);
        this.now = database.now();
        this.store = new JdbcIdempotencyStore(pool, TABLE, true);
        this.cleanup = new Cleanup(store, time);
    }

    @BeforeEach
    void start() {
        jdbc.execute("DROP TABLE IF EXISTS " + TABLE);
        store.prepare();
        cleanup.start();
    }

    @AfterEach
    void stop() {
        cleanup.stop();
        pool.close();
    }

    private void insert(String name, char state, boolean takeOver, long microsLeft) {
        insert(name, state, takeOver, microsLeft, -DAY);
    }

    /** By the database's clock. */
    private void insert(String name, char state, boolean takeOver, long microsLeft, long microsToCleanup) {
        jdbc.update(
                "INSERT INTO " + TABLE + " (id, caller_hash, operation, fingerprint, state, owner, fence,"
                        + " take_over, valid_until, cleanup_after, kind) VALUES (?, '', ?, '', ?, '', 1, ?,"
                        + " " + now + " + ?, " + now + " + ?, 'V')",
                name.getBytes(StandardCharsets.UTF_8),
                name,
                String.valueOf(state),
                takeOver,
                microsLeft,
                microsToCleanup);
    }

    private List<String> left() {
        return jdbc.queryForList("SELECT operation FROM " + TABLE, String.class);
    }

    @Test
    void removesWhatNobodyWillAskFor() {
        insert("completed", 'C', true, 60 * SECOND);
        insert("completed, expired", 'C', true, -SECOND);
        insert("running", 'R', true, SECOND);
        insert("abandoned a moment ago", 'R', true, -SECOND);
        insert("abandoned long ago", 'R', true, -2 * DAY);
        insert("to be decided about", 'R', false, -2 * DAY);
        insert("executed", 'E', false, -2 * DAY);
        insert("expired before it was said to", 'C', true, -SECOND, SECOND);

        time.advance(Duration.ofMinutes(15));

        assertThat(left())
                .containsExactlyInAnyOrder(
                        "completed",
                        "running",
                        "abandoned a moment ago",
                        "to be decided about",
                        "executed",
                        "expired before it was said to");
    }

    @Test
    void comesAgainAndAgainAndRemovesAllThatThereIs() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 501; i++) {
                insert(round + " " + i, 'C', true, -SECOND);
            }

            time.advance(Duration.ofMinutes(15));

            assertThat(left()).isEmpty();
        }
    }

    @Test
    void passesOverRecordsThatStayInOneBatchAlone() {
        insert("stays", 'R', false, -2 * DAY, -3 * DAY);
        for (int i = 0; i < 3; i++) {
            insert("expired " + i, 'C', true, -SECOND, -2 * DAY + i);
        }

        long next = store.removeExpired(0, 2);
        insert("behind the first batch", 'C', true, -SECOND, -3 * DAY);

        assertThat(store.removeExpired(next, 2)).isEqualTo(RecordTable.ALL_REMOVED);
        assertThat(left()).containsExactlyInAnyOrder("stays", "behind the first batch");
        time.advance(Duration.ofMinutes(15));
        assertThat(left()).containsExactly("stays");
    }

    @Test
    void comesAtOtherTimesInEveryInstance() {
        insert("expired", 'C', true, -SECOND);

        time.advance(Duration.ofMinutes(5).minusNanos(1));

        assertThat(left()).hasSize(1);
    }

    @Test
    void leavesAloneWhatSomebodyHasLocked() throws SQLException {
        insert("locked", 'C', true, -SECOND);
        insert("free", 'C', true, -SECOND);
        try (Connection connection = pool.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT id FROM " + TABLE + " WHERE id = ? FOR UPDATE")) {
            connection.setAutoCommit(false);
            statement.setBytes(1, "locked".getBytes(StandardCharsets.UTF_8));
            statement.execute();

            time.advance(Duration.ofMinutes(15));

            assertThat(left()).containsExactly("locked");
            connection.rollback();
        }
    }

    @Test
    void stopsWithTheApplication() {
        insert("expired", 'C', true, -SECOND);

        cleanup.stop();
        time.advance(Duration.ofDays(1));

        assertThat(left()).hasSize(1);
    }

    @Test
    void goesOnWhenTheDatabaseIsThereAgain() {
        insert("expired", 'C', true, -SECOND);
        jdbc.execute("ALTER TABLE " + TABLE + " RENAME TO elsewhere");
        time.advance(Duration.ofMinutes(15));
        jdbc.execute("ALTER TABLE elsewhere RENAME TO " + TABLE);

        time.advance(Duration.ofMinutes(15));

        assertThat(left()).isEmpty();
    }

    @Test
    void theLogTellsWhyItCouldNotBeDone() {
        jdbc.execute("DROP TABLE " + TABLE);
        try (CapturedLines log = CapturedLines.of(Cleanup.class)) {
            time.advance(Duration.ofMinutes(15)); // long enough for one, two or three tries

            assertThat(CapturedLines.event(log.first())).isEqualTo("idempotency_cleanup_failed");
            assertThat(log.first().getThrowableProxy()).isNotNull();
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void doesNothingUntilAMethodIsIdempotent(CapturedOutput output) {
        cleanup.stop();
        JdbcIdempotencyStore unused = new JdbcIdempotencyStore(pool, TABLE, true);
        Cleanup early = new Cleanup(unused, time);
        jdbc.execute("DROP TABLE " + TABLE);

        early.start();
        time.advance(Duration.ofMinutes(15));

        assertThat(output).doesNotContain("could not be removed");

        unused.prepare();
        insert("expired", 'C', true, -SECOND);
        time.advance(Duration.ofMinutes(15));

        assertThat(left()).isEmpty();
        early.stop();
    }
}
