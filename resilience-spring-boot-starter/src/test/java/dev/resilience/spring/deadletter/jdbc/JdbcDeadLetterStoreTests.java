package dev.resilience.spring.deadletter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.ReplayClaim;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.deadletter.StoredLetter.State;
import dev.resilience.deadletter.tck.DeadLetterStoreContract;
import dev.resilience.spring.idempotency.jdbc.Databases;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What every store of dead letters must do, and what only one in a database can do wrong. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class JdbcDeadLetterStoreTests extends DeadLetterStoreContract {

    private static final String TABLE = JdbcDeadLetterStore.DEFAULT_TABLE;
    private static final Duration LONG = Duration.ofHours(1);

    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;

    JdbcDeadLetterStoreTests(Databases database) {
        this.pool = database.pool();
        this.jdbc = new JdbcTemplate(pool);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Override
    protected DeadLetterStore emptyStore() {
        JdbcDeadLetterStore store = new JdbcDeadLetterStore(pool, TABLE, true);
        store.prepare();
        jdbc.update("DELETE FROM " + TABLE);
        return store;
    }

    /** The clock is the database's: all times in the table move back in its place. */
    @Override
    protected void letPass(Duration duration) {
        long micros = duration.toNanos() / 1_000 + 1;
        jdbc.update("UPDATE " + TABLE + " SET due_at = due_at + ? WHERE due_at < 0", micros);
        jdbc.update("UPDATE " + TABLE + " SET due_at = due_at - ? WHERE due_at > 0", micros);
        jdbc.update("UPDATE " + TABLE + " SET stored_at = stored_at - ?", micros);
    }

    private static DeadLetter letter(String id) {
        return new DeadLetter(id, "orders", "b", "o", new byte[] {1}, new LetterFailure("t", "m"), 3);
    }

    @Test
    void whatWasGivenUpGoesWhenItsTimeIsOver() {
        DeadLetterStore store = emptyStore();
        for (String id : List.of("given up", "waiting", "replaying")) {
            store.store(letter(id), Duration.ZERO);
        }
        store.failed(store.claim("orders", "given up", LONG), new LetterFailure("t", "m"), null);
        store.claim("orders", "replaying", LONG);
        letPass(LONG.minusMinutes(1));
        assertThat(store.removeGivenUp(LONG)).isZero();
        letPass(Duration.ofMinutes(2));

        assertThat(store.removeGivenUp(LONG)).isEqualTo(1);

        assertThat(store.find("orders", "given up")).isNull();
        assertThat(store.sizes()).containsEntry("orders", 2L);
    }

    @Test
    void aLetterOfATransactionThatRollsBackStays() {
        DeadLetterStore store = emptyStore();

        new TransactionTemplate(new JdbcTransactionManager(pool)).executeWithoutResult(transaction -> {
            jdbc.queryForList("SELECT id FROM " + TABLE); // an update of all rows would lock the gaps in MariaDB
            store.store(letter("id"), LONG);
            transaction.setRollbackOnly();
        });

        assertThat(store.find("orders", "id")).extracting(StoredLetter::state).isEqualTo(State.WAITING);
    }

    @Test
    void aLetterIsKeptFromATransactionThatHasTheOnlyConnection() {
        DeadLetterStore store = emptyStore();
        pool.getHikariConfigMXBean().setMaximumPoolSize(1);
        pool.getHikariPoolMXBean().softEvictConnections();

        new TransactionTemplate(new JdbcTransactionManager(pool))
                .executeWithoutResult(transaction -> store.store(letter("id"), LONG));

        assertThat(store.sizes()).containsEntry("orders", 1L);
    }

    @Test
    void ofTwoNodesOneReplaysALetter() {
        List<DeadLetterStore> nodes = List.of(emptyStore(), new JdbcDeadLetterStore(pool));
        IntStream.range(0, 50).forEach(i -> nodes.get(i % 2).store(letter("id " + i), Duration.ZERO));

        List<String> replayed = IntStream.range(0, 100)
                .parallel()
                .mapToObj(i -> {
                    DeadLetterStore node = nodes.get(i % 2);
                    ReplayClaim claim = node.claimDue("orders", LONG);
                    return claim != null && node.succeeded(claim)
                            ? claim.letter().id()
                            : null;
                })
                .filter(Objects::nonNull)
                .toList();

        assertThat(replayed).doesNotHaveDuplicates().hasSize(50);
        assertThat(nodes.get(0).sizes()).isEmpty();
    }

    @Test
    void aLetterThatATransactionHasLockedIsPassedOver() {
        DeadLetterStore store = emptyStore();
        store.store(letter("locked"), Duration.ZERO);
        letPass(Duration.ofMillis(2));
        store.store(letter("free"), Duration.ZERO);

        new TransactionTemplate(new JdbcTransactionManager(pool)).executeWithoutResult(transaction -> {
            jdbc.queryForList(
                    "SELECT id FROM " + TABLE + " WHERE id = ? FOR UPDATE", LetterTable.key("orders", "locked"));
            assertThat(store.claimDue("orders", LONG))
                    .extracting(claim -> claim.letter().id())
                    .isEqualTo("free");
            assertThat(store.claim("orders", "locked", LONG)).isNull();
            assertThat(store.discard("orders", "locked")).isFalse();
        });

        assertThat(store.claim("orders", "locked", LONG)).isNotNull();
    }

    /** What the index of due letters finds is looked at every few seconds, and letters that are given up stay for long. */
    @Test
    void lettersThatAreGivenUpAreNotAmongThoseThatTheIndexOfDueLettersFinds() {
        DeadLetterStore store = emptyStore();
        for (String id : List.of("given up", "postponed", "due")) {
            store.store(letter(id), Duration.ZERO);
        }
        for (String id : List.of("given up", "postponed")) {
            ReplayClaim claim = Objects.requireNonNull(store.claim("orders", id, LONG));
            store.failed(claim, new LetterFailure("t", "m"), null);
        }
        store.postpone(Objects.requireNonNull(store.claim("orders", "postponed", LONG)), null);
        letPass(LONG);

        assertThat(jdbc.queryForObject(
                        "SELECT COUNT(*) FROM " + TABLE + " WHERE due_at BETWEEN 0 AND ?", Long.class, Long.MAX_VALUE))
                .isOne();
        assertThat(store.claimDue("orders", LONG))
                .extracting(claim -> claim.letter().id())
                .isEqualTo("due");
        assertThat(store.claim("orders", "given up", LONG)).isNotNull();
    }

    @Test
    void namesThatACollationTakesForOneAreCountedApart() {
        DeadLetterStore store = emptyStore();
        for (String policy : List.of("orders", "Orders", "orders ", "\u00f6rders")) {
            store.store(new DeadLetter("id", policy, "b", "o", new byte[0], new LetterFailure("t", ""), 1), LONG);
        }

        assertThat(store.sizes())
                .containsOnly(
                        Map.entry("orders", 1L),
                        Map.entry("Orders", 1L),
                        Map.entry("orders ", 1L),
                        Map.entry("\u00f6rders", 1L));
    }

    @Test
    void aMissingTableIsToldWithItsCure() {
        assertThatThrownBy(() -> new JdbcDeadLetterStore(pool, "no_letters", false).prepare())
                .hasMessageContaining("'dead-letter: true', and the table 'no_letters' for their letters is missing");
    }
}
