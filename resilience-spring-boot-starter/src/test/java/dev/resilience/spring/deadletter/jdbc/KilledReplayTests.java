package dev.resilience.spring.deadletter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.ReplayClaim;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.deadletter.StoredLetter.State;
import dev.resilience.spring.idempotency.jdbc.Databases;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A process that is killed in the middle of a replay, seen from another one. */
class KilledReplayTests {

    private static final String TABLE = "killed_dead_letter";
    private static final Duration LONG = Duration.ofHours(1);

    /** The process to be killed: keeps two letters, and begins to replay one of them. */
    static final class Node {

        private Node() {}

        public static void main(String[] args) throws Exception {
            JdbcDeadLetterStore store =
                    new JdbcDeadLetterStore(new DriverManagerDataSource(args[0], "postgres", ""), TABLE, false);
            store.store(letter("replaying"), Duration.ZERO);
            Objects.requireNonNull(store.claimDue("orders", LONG));
            store.store(letter("waiting"), LONG);
            System.out.println("ready");
            System.in.read();
        }

        private static DeadLetter letter(String id) {
            return new DeadLetter(id, "orders", "b", "o", new byte[] {1}, new LetterFailure("t", "m"), 3);
        }
    }

    @Test
    void itsLettersAreThereAndReplayedOnceWhenItsLeaseIsOver() throws Exception {
        try (HikariDataSource pool = Databases.POSTGRESQL.pool();
                JdbcDeadLetterStore store = new JdbcDeadLetterStore(pool, TABLE, true)) {
            store.prepare();
            runAndKill(pool.getJdbcUrl());

            assertThat(state(store, "waiting")).isEqualTo(State.WAITING);
            assertThat(state(store, "replaying")).isEqualTo(State.REPLAYING);
            assertThat(store.claimDue("orders", LONG)).isNull();

            new JdbcTemplate(pool)
                    .update("UPDATE " + TABLE
                            + " SET due_at = due_at - 3600000001 WHERE state = 'R'"); // the lease is over
            assertThat(state(store, "replaying")).as("not failed").isEqualTo(State.ABANDONED);
            ReplayClaim claim = Objects.requireNonNull(store.claimDue("orders", LONG));
            assertThat(claim.letter().id()).isEqualTo("replaying");
            assertThat(claim.replays()).isEqualTo(2);
            assertThat(store.claimDue("orders", LONG)).isNull();
            assertThat(store.succeeded(claim)).isTrue();
            assertThat(store.sizes()).containsEntry("orders", 1L);
        }
    }

    private static State state(JdbcDeadLetterStore store, String id) {
        StoredLetter found = Objects.requireNonNull(store.find("orders", id));
        return found.state();
    }

    private static void runAndKill(String url) throws Exception {
        Process node = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Node.class.getName(),
                        url)
                .redirectErrorStream(true)
                .start();
        try (BufferedReader output = node.inputReader()) {
            assertThat(output.lines().anyMatch("ready"::equals)).isTrue();
        } finally {
            node.destroyForcibly().waitFor(); // as kill -9 does
        }
    }
}
